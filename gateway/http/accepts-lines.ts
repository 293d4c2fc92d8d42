import type { Context } from 'koa';
import { LINES_TYPE } from './route.ts';

/** A parameter of a media type, perhaps quoted; not the weight. */
const OTHER_PARAMETER = /;\s*(?!q\s*=)[^;,=\s"]+(?:\s*=\s*(?:"(?:\\.|[^"\\])*"|[^;,"]*))?/gi;

/**
 * Whether a client prefers lines of JSON. Parameters such as a charset do not matter, because neither type
 * has variants. Koa alone would look for a type with the same parameters.
 */
export function acceptsLines(ctx: Context): boolean {
  const { headers } = ctx.req;
  if (headers.accept !== undefined) headers.accept = headers.accept.replace(OTHER_PARAMETER, '');
  return ctx.accepts('application/json', LINES_TYPE) === LINES_TYPE;
}
