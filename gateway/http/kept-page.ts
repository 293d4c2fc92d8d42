import type { Context } from 'koa';
import { encodeContent, sendContent } from './content.ts';
import { READ_METHODS, requireMethod } from './methods.ts';
import { RepeatedContent } from './repeated-content.ts';

const CACHE = 'public, max-age=3600';

/** A page of the documentation, encoded once. */
export interface KeptPage {
  type: string;
  content: RepeatedContent;
}

export const keepPage = (type: string, body: string | Buffer): KeptPage => ({
  type,
  content: RepeatedContent.copyOf(encodeContent(body)),
});

/** @throws ApiError if the method does not read */
export async function sendPage(ctx: Context, page: KeptPage, contentSecurityPolicy: string): Promise<void> {
  requireMethod(ctx, READ_METHODS);
  ctx.set('Content-Security-Policy', contentSecurityPolicy);
  ctx.set('Cache-Control', CACHE);
  ctx.type = page.type;
  await sendContent(ctx, page.content);
}
