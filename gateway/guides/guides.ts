import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';
import { answerPages, type PageSource } from '../http/pages.ts';
import { renderPlainReference } from './plain-reference.ts';
import { escapeHtml, renderGuide } from './render-guide.ts';

const FOLDER = fileURLToPath(new URL('../../docs/', import.meta.url));
const GUIDES = '/docs/guides';
/** The reference for readers without scripts. */
const PLAIN_REFERENCE = `${GUIDES}/reference`;
const STYLE = '/docs/guides.css';

/** A guide is text with images of its own. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Other files are examples in some language, and are shown as text. */
const TYPES: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.json': 'application/json',
};

const CSS = `:root { color-scheme: light dark; --text: #1f2430; --link: #1d4f91; --line: #c6ccd6; --shade: #f1f3f6; --page: #fff; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e7ec; --link: #8fbcff; --line: #444b57; --shade: #232830; --page: #16191e; }
}
body { margin: 0 auto; padding: 0 1rem 4rem; max-width: 56rem; color: var(--text); background: var(--page);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
a { color: var(--link); }
nav { padding: 1rem 0; border-bottom: 1px solid var(--line); }
nav a { margin-right: 1.25rem; }
pre, code { font-family: ui-monospace, monospace; font-size: 0.9em; background: var(--shade); }
pre { padding: 0.75rem; overflow-x: auto; overflow-wrap: normal; }
.scroll { overflow-x: auto; overflow-wrap: normal; }
.scroll code { white-space: nowrap; }
table { border-collapse: collapse; }
th, td { padding: 0.35rem 0.6rem; border: 1px solid var(--line); text-align: left; vertical-align: top; }
img { max-width: 100%; height: auto; background: #fff; }
blockquote { margin-left: 0; padding-left: 1rem; border-left: 3px solid var(--line); }
`;

/** The files below docs, by their paths there. Only these are served. */
const FILES: ReadonlySet<string> = new Set(
  readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(FOLDER, path.join(entry.parentPath, entry.name)).split(path.sep).join('/'))
    .sort(),
);
const isGuide = (file: string): boolean => file.endsWith('.md');
const addressOfFile = (file: string): string => `${GUIDES}/${file.replace(/\.md$/, '')}`;

/** The address of a link's target; null for a file that is not served, and for a target that is not a web address. */
function addressOfTarget(target: string, from: string): string | null {
  if (/^(https?:|mailto:|#)/.test(target)) return target;
  const [file = '', anchor] = target.split('#');
  const found = path.posix.join(path.posix.dirname(from), file);
  return FILES.has(found) ? `${addressOfFile(found)}${anchor === undefined ? '' : `#${anchor}`}` : null;
}

interface GuidesOptions {
  hasConsole: boolean;
  /** Makes the OpenAPI description of the service. */
  describe: () => object;
}

function renderPage(title: string, body: string, { hasConsole }: GuidesOptions): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Ballot endorsements</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="${STYLE}">
</head>
<body>
<nav aria-label="Documentation"><a href="${GUIDES}">All guides</a> <a href="/docs">Reference of the API</a>${hasConsole ? ' <a href="/console">Console</a>' : ''}</nav>
<main>
${body}</main>
</body>
</html>
`;
}

function titleOf(file: string): string {
  const [, title = file] = /^# (.+)$/m.exec(readFileSync(path.join(FOLDER, file), 'utf8')) ?? [];
  return title.replaceAll('`', '');
}

/** The list of all guides. */
function renderList(): string {
  const guides = [...FILES].filter(isGuide);
  const list = (folder: string) =>
    guides
      .filter((file) => path.posix.dirname(file) === folder)
      .map((file) => `<li><a href="${addressOfFile(file)}">${escapeHtml(titleOf(file))}</a></li>`)
      .join('\n');
  return `<h1>Guides</h1>
<ul>\n${list('.')}
<li><a href="${PLAIN_REFERENCE}">Reference of the API, without scripts</a></li>\n</ul>
<h2>For operators</h2>
<ul>\n${list('operations')}\n</ul>
<h2>Decisions</h2>
<p>They say why the service is as it is.</p>
<ul>\n${list('decisions')}\n</ul>
`;
}

/** Makes the page at a path. @returns null if the path is unknown */
function makePage(where: string, options: GuidesOptions): PageSource | null {
  const html = (title: string, body: string) => ({
    type: 'text/html',
    body: renderPage(title, body, options),
  });
  if (where === STYLE) return { type: 'text/css', body: CSS };
  if (where === GUIDES) return html('Guides', renderList());
  if (where === PLAIN_REFERENCE) {
    const guide = renderGuide(renderPlainReference(options.describe()), (target) => target);
    return html(guide.title, guide.html);
  }
  if (!where.startsWith(`${GUIDES}/`)) return null;
  const name = where.slice(GUIDES.length + 1);
  if (FILES.has(`${name}.md`)) {
    const file = `${name}.md`;
    const text = readFileSync(path.join(FOLDER, file), 'utf8');
    const guide = renderGuide(text, (target) => addressOfTarget(target, file));
    return html(guide.title, guide.html);
  }
  if (!FILES.has(name) || isGuide(name)) return null;
  const type = TYPES[path.extname(name)] ?? 'text/plain';
  return { type, body: readFileSync(path.join(FOLDER, name)) };
}

/** Serves the guides of the folder docs, their images and examples, and the plain reference. */
export function answerGuides(options: GuidesOptions): Middleware {
  return answerPages(CONTENT_SECURITY_POLICY, (where) => makePage(where, options));
}
