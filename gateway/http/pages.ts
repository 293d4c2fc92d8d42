import type { Middleware } from 'koa';
import { encodeContent, sendContent } from './content.ts';
import { READ_METHODS, requireMethod } from './methods.ts';
import { RepeatedContent } from './repeated-content.ts';

/** Browsers keep a page for an hour. */
const CACHE = 'public, max-age=3600';

export interface PageSource {
  type: string;
  body: string | Buffer;
}

/**
 * Serves pages that are the same for everybody. Each is made once, when it is first asked for.
 *
 * @param make null if there is no page at a path
 */
export function answerPages(
  contentSecurityPolicy: string,
  make: (path: string) => PageSource | null,
): Middleware {
  const made = new Map<string, { type: string; content: RepeatedContent }>();
  const makeOnce = (path: string) => {
    const source = make(path);
    if (source === null) return null;
    const page = { type: source.type, content: RepeatedContent.copyOf(encodeContent(source.body)) };
    made.set(path, page);
    return page;
  };
  return async (ctx, next) => {
    const page = made.get(ctx.path) ?? makeOnce(ctx.path);
    if (page === null) return next();
    requireMethod(ctx, READ_METHODS);
    ctx.set('Content-Security-Policy', contentSecurityPolicy);
    ctx.set('Cache-Control', CACHE);
    ctx.type = page.type;
    await sendContent(ctx, page.content);
  };
}
