import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Middleware } from 'koa';
import { encodeContent, sendContent } from './content.ts';
import { READ_METHODS, requireMethod } from './methods.ts';
import { createOpenApi } from './openapi.ts';
import { RepeatedContent } from './repeated-content.ts';
import type { Route } from './route.ts';

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Ballot Endorsement Data Service: reference</title>
<link rel="icon" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<noscript><p>This page needs scripts. Without them, read the description itself: <a href="/openapi.json">/openapi.json</a>.</p></noscript>
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

/** The page loads nothing from other sites. Its script sets inline styles. */
const CONTENT_SECURITY_POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

const CACHE = 'public, max-age=3600';

interface Page {
  type: string;
  content: RepeatedContent;
}

// An import of the package would load both of its bundles as code.
const require = createRequire(import.meta.url);
const SWAGGER_UI = path.dirname(require.resolve('swagger-ui-dist/package.json'));

/** Serves `/openapi.json` and an interactive reference at `/docs`. Both work without an API key and offline. */
export function answerReference(routes: readonly Route[]): Middleware {
  const page = (where: string, type: string, body: string | Buffer): [string, Page] => [
    where,
    { type, content: RepeatedContent.copyOf(encodeContent(body)) },
  ];
  const asset = (name: string, type: string): [string, Page] =>
    page(`/docs/${name}`, type, readFileSync(path.join(SWAGGER_UI, name)));
  const pages = new Map<string, Page>([
    page('/openapi.json', 'application/json', JSON.stringify(createOpenApi(routes))),
    page('/docs', 'text/html', PAGE),
    page('/docs/start.js', 'text/javascript', START),
    asset('swagger-ui.css', 'text/css'),
    asset('favicon-32x32.png', 'image/png'),
    asset('swagger-ui-bundle.js', 'text/javascript'),
  ]);
  return async (ctx, next) => {
    const found = pages.get(ctx.path);
    if (!found) return next();
    requireMethod(ctx, READ_METHODS);
    ctx.set('Content-Security-Policy', CONTENT_SECURITY_POLICY);
    ctx.set('Cache-Control', CACHE);
    ctx.type = found.type;
    await sendContent(ctx, found.content);
  };
}
