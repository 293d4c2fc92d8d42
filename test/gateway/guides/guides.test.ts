/** The guides of the folder docs, as gateways serve them. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { renderGuide } from '../../../gateway/guides/render-guide.ts';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { findProblemsInLooks } from '../../helpers/browser/chromium.ts';
import { testInBrowser, useChromium } from '../../helpers/browser/use-chromium.ts';
import { useTestService } from '../../helpers/service/service.ts';

const service = useTestService();
const GUIDES = '/docs/guides';
const FILES = readdirSync('docs', { recursive: true, encoding: 'utf8' }).filter((file) =>
  file.endsWith('.md'),
);
const PLAIN_REFERENCE = `${GUIDES}/reference`;
const PAGES = [...FILES.map((file) => `${GUIDES}/${file.replace(/\.md$/, '')}`), PLAIN_REFERENCE];

/** Guides with wide tables, images, code and lists. */
const LOOKED_AT = ['ARCHITECTURE', 'scaling', 'webhooks', 'data-formats', 'reference'];

const open = (path: string, init?: RequestInit) => fetch(service.url(path), { redirect: 'manual', ...init });
const targetsOf = (html: string): string[] =>
  [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].map(([, target = '']) => target);

test('every guide is served under a strict policy, and every link of a guide has a target', async () => {
  const bodies = new Map<string, string>();
  for (const page of [GUIDES, ...PAGES]) {
    const answer = await open(page);
    expect([page, answer.status, answer.headers.get('Content-Type')]).toEqual([
      page,
      200,
      'text/html; charset=utf-8',
    ]);
    expect(answer.headers.get('Content-Security-Policy')).toMatch(/^default-src 'none'; style-src 'self'/);
    bodies.set(page, await answer.text());
  }
  const checked = new Map<string, boolean>();
  for (const [page, html] of bodies) {
    expect(html).not.toMatch(/<(script|style)| style=| on\w+=/);
    for (const target of targetsOf(html)) {
      if (/^(https?|mailto):/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const at = path === '' ? page : path;
      if (!checked.has(at)) checked.set(at, (await open(at)).status < 400);
      expect([page, target, checked.get(at)]).toEqual([page, target, true]);
      if (anchor !== undefined)
        expect([page, target, bodies.get(at)]).toEqual([
          page,
          target,
          expect.stringContaining(` id="${anchor}"`),
        ]);
    }
  }
});

test('the list names every guide, and the reference and the console lead to it', async () => {
  const list = await (await open(GUIDES)).text();
  for (const page of PAGES) expect(list).toContain(`href="${page}"`);
  expect(await (await open('/docs')).text()).toContain(`href="${GUIDES}"`);
});

test('without scripts, the reference leads to a page with all operations, parameters, bodies and answers', async () => {
  const reference = await (await open('/docs')).text();
  expect(/<noscript>.*<\/noscript>/.exec(reference)?.[0]).toContain(`href="${PLAIN_REFERENCE}"`);
  const page = await (await open(PLAIN_REFERENCE)).text();
  const description = createOpenApi(routes) as unknown as {
    paths: Record<string, Record<string, { parameters?: { name: string }[]; responses: object }>>;
  };
  const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      name: `${method.toUpperCase()} ${path}`,
      operation,
    })),
  );
  const sections = new Map(
    page.split(/<h3 id="[^"]*">/).map((section) => [section.slice(0, section.indexOf('</h3>')), section]),
  );
  expect(operations.length).toBeGreaterThan(30);
  for (const { name, operation } of operations) {
    const section = sections.get(name);
    for (const parameter of operation.parameters ?? [])
      expect([name, section]).toEqual([
        name,
        expect.stringContaining(`<td><code>${parameter.name}</code></td>`),
      ]);
    for (const status of Object.keys(operation.responses))
      expect([name, section]).toEqual([name, expect.stringContaining(`<li><code>${status}</code>: `)]);
  }
  expect(sections.get('POST /v1/subscriptions')).toMatch(
    /A body:.*Newspapers of the coast.*An answer:.*created_at/s,
  );
});

test.each([
  `${GUIDES}/../../package.json`,
  `${GUIDES}/%2e%2e/%2e%2e/package.json`,
  `${GUIDES}/..%2f..%2fpackage.json`,
  `${GUIDES}/decisions`,
  `${GUIDES}/operations.md`,
  `${GUIDES}/`,
  `${GUIDES}/constructor`,
])('there is nothing at %s', async (path) => {
  const { port, hostname } = new URL(service.url('/'));
  const { get } = await import('node:http');
  // Unlike fetch, it sends the path as it is.
  const status = await new Promise((resolve, reject) => {
    get({ port, hostname, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  expect(status).toBe(404);
});

test.each([
  ['images/console-live.png', 'image/png'],
  ['examples/mirror.py', 'text/plain; charset=utf-8'],
  ['asyncapi.json', 'application/json; charset=utf-8'],
])('%s is served as %s', async (file, type) => {
  const answer = await open(`${GUIDES}/${file}`);
  expect([answer.status, answer.headers.get('Content-Type')]).toEqual([200, type]);
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(readFileSync(`docs/${file}`));
  expect((await open(`${GUIDES}/${file}`, { method: 'POST' })).status).toBe(405);
});

describe('a guide becomes a page', () => {
  const render = (text: string) => renderGuide(text, (target) => (target === 'known.md' ? '/known' : null));

  test('whose headings have the anchors of GitHub', () => {
    const { title, html } = render('# The `start` & end\n\n## A, b\n\n## A, b\n');
    expect(title).toBe('The start & end');
    expect(html).toContain('<h1 id="the-start--end">The <code>start</code> &amp; end</h1>');
    expect(html).toContain('<h2 id="a-b">');
    expect(html).toContain('<h2 id="a-b-1">');
  });

  test.each([
    ['<b onclick="x">hello</b>', '&lt;b onclick=&quot;x&quot;&gt;hello&lt;/b&gt;'],
    ['<script>alert(1)</script>', '&lt;script&gt;alert(1)&lt;/script&gt;'],
    ['[text](javascript:alert(1))', '<p>text</p>'],
    ['![text](javascript:alert(1))', '<p></p>'],
    ['[text](known.md "a&quot;b")', '<a href="/known">text</a>'],
    ['`<i>`', '<code>&lt;i&gt;</code>'],
    ['```js\n</code><i>\n```', '<pre tabindex="0"><code>&lt;/code&gt;&lt;i&gt;</code></pre>'],
  ])('without markup of its own: %s', (text, html) => {
    expect(render(text).html).toContain(html);
  });
});

describe('in a browser', () => {
  const newContext = useChromium();

  testInBrowser('axe finds nothing on the guides, on a phone in light and wide in dark', async () => {
    const context = await newContext();
    const page = await context.newPage();
    const problems: string[] = [];
    for (const path of [GUIDES, ...LOOKED_AT.map((name) => `${GUIDES}/${name}`)]) {
      await page.goto(service.url(path));
      problems.push(...(await findProblemsInLooks(page)).map((problem) => `${path}: ${problem}`));
    }
    expect(problems).toEqual([]);
    await context.close();
  });
});
