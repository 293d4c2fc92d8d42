import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import type { Middleware } from 'koa';
import { dropWarning } from '../../service/drop-warning.ts';
import { encodeContent, sendContent } from '../http/content.ts';
import { READ_METHODS, requireMethod } from '../http/methods.ts';
import { RepeatedContent } from '../http/repeated-content.ts';

// Node strips the types of this service in the same way.
dropWarning('ExperimentalWarning', 'stripTypeScriptTypes');

const PREFIX = '/console/assets/';
const FOLDER = new URL('browser/', import.meta.url);
const TYPES: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
};
/** An address contains the hash of its content, so a browser never needs to ask for it again. */
const CACHE = 'public, max-age=31536000, immutable';

interface Asset {
  type: string;
  content: RepeatedContent;
  version: string;
}

/** Browsers run the scripts as written, without their types: there is no build step. */
function readAsset(file: string): [string, Asset] {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  const isScript = file.endsWith('.ts');
  const body = isScript
    ? stripTypeScriptTypes(text).replaceAll(/((?:from|import) '\.\/[\w-]+)\.ts'/g, "$1.js'")
    : text;
  const name = isScript ? file.replace(/ts$/, 'js') : file;
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
  return [
    name,
    {
      type,
      content: RepeatedContent.copyOf(encodeContent(body)),
      version: hash('sha256', body, 'base64url').slice(0, 12),
    },
  ];
}

const FILES = readdirSync(FOLDER).filter((file) => /\.(ts|css|svg)$/.test(file));
const ASSETS: ReadonlyMap<string, Asset> = new Map(FILES.map(readAsset));

/** The address of a file of gateway/console/browser. The address of a script ends in .js. */
export function assetUrl(name: string): string {
  const asset = ASSETS.get(name);
  if (!asset) throw new Error(`There is no ${name} in gateway/console/browser.`);
  return `${PREFIX}${name}?v=${asset.version}`;
}

/** Serves the styles and scripts of the console, without a session. */
export const serveAssets: Middleware = async (ctx, next) => {
  const asset = ctx.path.startsWith(PREFIX) ? ASSETS.get(ctx.path.slice(PREFIX.length)) : undefined;
  if (!asset) return next();
  requireMethod(ctx, READ_METHODS);
  // Scripts import each other without a version, so browsers must revalidate them.
  ctx.set('Cache-Control', ctx.query.v === asset.version ? CACHE : 'public, no-cache');
  ctx.type = asset.type;
  await sendContent(ctx, asset.content);
};
