import { spawn } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { beforeAll, expect, test } from '@jest/globals';
import {
  FIRST_REQUESTS,
  KEY_PLACE,
  snippetsOf,
  snippetsWith,
} from '../../../gateway/console/pages/first-requests.ts';
import { endorse } from '../../helpers/ballots/submissions.ts';
import { installClient } from '../../helpers/clients/client-package.ts';
import { ConsoleClient } from '../../helpers/console/console-client.ts';
import { findProgram } from '../../helpers/servers/find-program.ts';
import { useTestService } from '../../helpers/service/service.ts';
import { useFolder } from '../../helpers/use-folder.ts';

const service = useTestService();

const inFolder = useFolder();

beforeAll(async () => {
  await service.submit([endorse('coast-gazette', 'prop-1', 'yes'), endorse('nation-herald', 'mayor', 'ann')]);
  await service.eventsOnceThereAre(2);
});

/** How to run each language's text: with a shell, or from a file. */
const RUNNERS: Readonly<Record<string, { program: string; file: string | null }>> = {
  curl: { program: 'sh', file: null },
  TypeScript: { program: process.execPath, file: 'first.mts' },
  Python: { program: 'python3', file: 'first.py' },
};
const NEEDED: Readonly<Record<string, string>> = { curl: 'curl', Python: 'python3' };

/** Runs a program until it ends, or until its output contains a text. @returns its output */
async function run(program: string, args: string[], wanted: string | null): Promise<string> {
  const child = spawn(program, args, { cwd: inFolder(), env: { PATH: process.env.PATH }, detached: true });
  let output = '';
  let errors = '';
  child.stderr.on('data', (bytes: Buffer) => {
    errors += bytes;
  });
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve);
    child.stdout.on('data', (bytes: Buffer) => {
      output += bytes;
      // The group, because a shell does not pass the signal on.
      if (wanted !== null && output.includes(wanted) && child.pid) process.kill(-child.pid);
    });
  });
  if (wanted === null && code !== 0) throw new Error(`${program} ended with ${code}: ${errors}`);
  return output;
}

const cases = FIRST_REQUESTS.flatMap((request) =>
  snippetsOf(request, 'http://localhost').map(({ language }) => ({ request, language })),
);
const isMissing = ({ language }: { language: string }): boolean => {
  const needed = NEEDED[language];
  return needed !== undefined && findProgram(needed) === null;
};
for (const { request, language } of cases.filter(isMissing)) {
  test.skip(`${language}: ${request.title} (skipped: ${NEEDED[language]} not installed)`, () => {});
}

test.each(cases.filter((each) => !isMissing(each)))(
  '$language: $request.title',
  async ({ request, language }) => {
    const snippet = snippetsOf(request, service.url('')).find((each) => each.language === language);
    expect(snippet?.text.split(KEY_PLACE)).toHaveLength(2);
    const text = snippet?.text.replace(KEY_PLACE, service.key) ?? '';
    const { program, file } = RUNNERS[language] as { program: string; file: string | null };
    if (file !== null) await writeFile(inFolder(file), text);
    const output = await run(
      program,
      file === null ? ['-c', text] : [file],
      request.isStream ? '\ndata: {}' : null,
    );
    if (request.isStream) expect(output).toMatch(/event: ready\nid: /);
    else expect(JSON.parse(output).data.length).toBeGreaterThan(0);
  },
);

test('TypeScript with our client, and the key in it: three endorsements', async () => {
  const installation = await installClient();
  try {
    const snippet = snippetsWith(service.key, service.url('')).find(
      ({ language }) => language === 'TypeScript',
    );
    const file = await installation.write('first.mts', snippet?.text ?? '');
    expect(await run(process.execPath, [file], null)).toBe('Coast Gazette: Yes\n');
  } finally {
    await installation.remove();
  }
});

test('the page has the programs with the address of the service, and links that work without scripts', async () => {
  const client = await ConsoleClient.signIn(service, { role: 'member' });
  const { html } = await client.get('/console/start');
  for (const request of FIRST_REQUESTS) {
    expect(html).toContain(`${service.url(request.path).replace('&', '&amp;')}`);
    const link = `/console/api${request.path}`;
    expect(html).toContain(`href="${link.replace('&', '&amp;')}"`);
    if (!request.isStream) expect((await client.get(link)).status).toBe(200);
  }
  expect(html).not.toMatch(/bes_[0-9A-Za-z]{38}/);
});

test('the page points a newcomer without a key to API keys', async () => {
  const account = 'newcomers';
  await service.createKey(account, 'free');
  const owner = await ConsoleClient.signIn(service, { account });
  expect((await owner.get('/console/start')).html).toContain('The account has a usable key');
  const id = /href="\/console\/keys\/(\d+)\/revoke"/.exec((await owner.get('/console/keys')).html)?.[1];
  await owner.post(`/console/keys/${id}/revoke`);
  const { html } = await owner.get('/console/start');
  expect(html).toContain('no usable key');
  expect(html).toContain('Make one under API keys');
  const member = await ConsoleClient.signIn(service, { account, role: 'member' });
  expect((await member.get('/console/start')).html).toContain('Ask an owner of the account');
});
