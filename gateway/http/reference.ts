import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Middleware } from 'koa';
import { type KeptPage, keepPage, sendPage } from './kept-page.ts';
import { createOpenApi } from './openapi.ts';
import type { Route } from './route.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ballot Endorsement Data Service: reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/readable.css">
</head>
<body>
<noscript><p>This page needs scripts. Without them, read the <a href="/docs/guides/reference">plain reference</a>, or the description itself: <a href="/openapi.json">/openapi.json</a>.</p></noscript>
<nav aria-label="Documentation"><a href="/docs/guides">Guides</a></nav>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`;

/** The stream never ends, so the page could not show its answer. */
const START = `const withoutStream = { statePlugins: { spec: { wrapSelectors: {
  allowTryItOutFor: () => (state, path) => path !== '/v1/stream',
} } } };
SwaggerUIBundle({
  url: '/openapi.json', dom_id: '#reference', deepLinking: true, tryItOutEnabled: true, plugins: [withoutStream],
});
`;

/** Darker colours than those of Swagger UI, which are too pale for many readers. */
const READABLE = `.swagger-ui, .swagger-ui :is(p, td, li, label, small, .tab li, .model, .prop-format, .prop-type, .parameter__type,
  .parameter__in, .parameter__deprecated, .parameter__extension, .parameter__name, .response-col_links, .opblock-description,
  .opblock-summary-description, .opblock-tag, .opblock-tag small, .info .base-url, .responses-inner h4, .responses-inner h5,
  .json-schema-2020-12-keyword__name--primary, .json-schema-2020-12-keyword__name--secondary) { color: #2b303b; }
nav { padding: 1rem 1.25rem; font: 1rem system-ui, sans-serif; }
nav a { color: #1d4f91; }
.swagger-ui :is(a, a.link, .info .url, .link) { color: #1d4f91; }
.swagger-ui .info .title small { background: #4a5160; }
.swagger-ui .info .title small.version-stamp { background: #2d6a1c; }
.swagger-ui .info .title small pre { color: #fff; }
.swagger-ui .opblock.opblock-get .opblock-summary-method { background: #1b5fa8; }
.swagger-ui .opblock .opblock-summary-method { color: #fff; text-shadow: none; }
.swagger-ui .microlight span { color: #f5f5f5 !important; }
.swagger-ui :is(button.json-schema-2020-12-expand-deep-button, .json-schema-2020-12__attribute, .json-schema-2020-12__constraint,
  .json-schema-2020-12-json-viewer__value, .json-schema-2020-12-json-viewer__name) { color: #2b303b; background: none; }
.swagger-ui .opblock.opblock-post .opblock-summary-method { background: #1c6b3f; }
.swagger-ui .opblock.opblock-put .opblock-summary-method { background: #8a5300; }
.swagger-ui .opblock.opblock-delete .opblock-summary-method { background: #b3261e; }
.swagger-ui .btn.authorize { border-color: #1c6b3f; color: #1c6b3f; }
.swagger-ui .btn.authorize span { color: #1c6b3f; }
.swagger-ui .btn.cancel { border-color: #b3261e; color: #b3261e; }
.swagger-ui .btn.execute { background: #1b5fa8; border-color: #1b5fa8; }
.swagger-ui .parameter__name.required::after, .swagger-ui .parameter__name.required span { color: #b3261e; }
`;

/** Names the fields that Swagger UI leaves without a name, and lets the keyboard reach what scrolls. */
const NAMED = `const name = (field, label) => field.hasAttribute('aria-label') || field.setAttribute('aria-label', label);
const mend = () => {
  for (const field of document.querySelectorAll('#reference :is(select, input, textarea)')) {
    const row = field.closest('tr[data-param-name]');
    const kind = field.closest('.servers') ? 'Server' : field.closest('.response') ? 'Media type' : 'Value';
    name(field, row ? row.dataset.paramName : kind);
  }
  for (const code of document.querySelectorAll('#reference pre:not([tabindex])')) code.tabIndex = 0;
  const roles = [['.information-container', 'banner', 'The service'], ['.scheme-container, .schemes-server-container', 'region', 'Server']];
  for (const [selector, role, label] of roles) {
    const part = document.querySelector(selector);
    part?.setAttribute('role', role);
    part?.setAttribute('aria-label', label);
  }
  // Its operations begin with headings of the fourth level, like those of a tag.
  document.querySelector('#reference .webhooks > h2')?.setAttribute('aria-level', '3');
  // A link within a button cannot be reached; the button changes the address as well.
  for (const link of document.querySelectorAll('#reference button a[href]')) link.removeAttribute('href');
};
new MutationObserver(mend).observe(document.getElementById('reference'), { childList: true, subtree: true });
`;

/** The page loads nothing from other sites. Its script sets inline styles. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

// An import of the package would load both of its bundles as code.
const require = createRequire(import.meta.url);
const SWAGGER_UI = path.dirname(require.resolve('swagger-ui-dist/package.json'));

/** Serves `/openapi.json` and an interactive reference at `/docs`. Both work without an API key and offline. */
export function answerReference(routes: readonly Route[]): Middleware {
  const asset = (name: string, type: string): [string, KeptPage] => [
    `/docs/${name}`,
    keepPage(type, readFileSync(path.join(SWAGGER_UI, name))),
  ];
  const pages = new Map<string, KeptPage>([
    ['/openapi.json', keepPage('application/json', JSON.stringify(createOpenApi(routes)))],
    ['/docs', keepPage('text/html', PAGE)],
    ['/docs/start.js', keepPage('text/javascript', NAMED + START)],
    ['/docs/readable.css', keepPage('text/css', READABLE)],
    asset('swagger-ui.css', 'text/css'),
    asset('favicon-32x32.png', 'image/png'),
    asset('swagger-ui-bundle.js', 'text/javascript'),
  ]);
  return async (ctx, next) => {
    const found = pages.get(ctx.path);
    if (!found) return next();
    await sendPage(ctx, found, CONTENT_SECURITY_POLICY);
  };
}
