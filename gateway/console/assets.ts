import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
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
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** An address contains the hash of its content, so a browser never needs to ask for it again. */
const CACHE = 'public, max-age=31536000, immutable';

interface Asset {
  type: string;
  content: RepeatedContent;
  version: string;
}

/** Browsers run the scripts as written, without their types: there is no build step. */
function readAsset(file: string): Asset {
  const text = readFileSync(new URL(file, FOLDER), 'utf8');
  const isScript = file.endsWith('.ts');
  const body = isScript
    ? stripTypeScriptTypes(text).replaceAll(/((?:from|import) '\.\/[\w-]+)\.ts'/g, "$1.js'")
    : text;
  return {
    type: TYPES[path.extname(file)] ?? 'application/octet-stream',
    content: RepeatedContent.copyOf(encodeContent(body)),
    version: hash('sha256', body, 'base64url').slice(0, 12),
  };
}

/** The files by their names in addresses. */
const FILES: ReadonlyMap<string, string> = new Map(
  readdirSync(FOLDER)
    .filter((file) => path.extname(file) in TYPES)
    .map((file) => [file.replace(/\.ts$/, '.js'), file]),
);
const read = new Map<string, Asset>();

/** Reads a file once, when it is first asked for: stripping the types takes a fifth of the time that a gateway loads. */
function findAsset(name: string): Asset | undefined {
  const file = FILES.get(name);
  if (file === undefined) return undefined;
  const asset = read.get(name) ?? readAsset(file);
  read.set(name, asset);
  return asset;
}

/** The address of a file of gateway/console/browser. The address of a script ends in .js. */
export function assetUrl(name: string): string {
  const asset = findAsset(name);
  if (!asset) throw new Error(`There is no ${name} in gateway/console/browser.`);
  return `${PREFIX}${name}?v=${asset.version}`;
}

/** Serves the styles and scripts of the console, without a session. */
export const serveAssets: Middleware = async (ctx, next) => {
  const asset = ctx.path.startsWith(PREFIX) ? findAsset(ctx.path.slice(PREFIX.length)) : undefined;
  if (!asset) return next();
  requireMethod(ctx, READ_METHODS);
  // Scripts import each other without a version, so browsers must revalidate them.
  ctx.set('Cache-Control', ctx.query.v === asset.version ? CACHE : 'public, no-cache');
  ctx.type = asset.type;
  await sendContent(ctx, asset.content);
};
