import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { Logger } from '../../service/log.ts';
import { reportFailure } from '../../service/report-failure.ts';
import { encodeContent, sendContent } from './content.ts';
import { LINES_TYPE, type Reply } from './route.ts';

/** Sends the reply of an endpoint. A stream outlasts this. */
export async function sendReply(ctx: Context, reply: Reply, log: Logger): Promise<void> {
  if ('empty' in reply) {
    ctx.status = 204;
    return;
  }
  if ('headers' in reply) ctx.set(reply.headers ?? {});
  if ('json' in reply) {
    ctx.type = 'application/json; charset=utf-8';
    // After a sign-out, the browser's cache must not return an answer to the session.
    ctx.set('Cache-Control', ctx.state.bySession ? 'no-store' : 'private, no-cache');
    ctx.vary('Authorization');
    await sendContent(ctx, encodeContent(reply.json), reply.status);
    return;
  }
  if ('lines' in reply) {
    sendLines(ctx, reply.lines);
    return;
  }
  ctx.status = 200;
  if (ctx.method === 'HEAD') return;
  // The stream outlives the middleware, which returns when the answer begins.
  ctx.respond = false;
  follow(reply.stream(ctx.res), ctx.res, { log, requestId: ctx.state.requestId });
}

/** Disconnects a stream that fails. Lasts as long as the stream, so it must not refer to Koa's context. */
function follow(
  stream: Promise<void>,
  response: ServerResponse,
  { log, requestId }: { log: Logger; requestId: string },
): void {
  stream.catch((error: unknown) => {
    const fields = { requestId };
    reportFailure(log, error, { where: 'stream', message: 'a stream was disconnected', fields });
    response.destroy();
  });
}

/** Sends lines of JSON. The count in the last line tells the client whether it has all of them. */
function sendLines(ctx: Context, lines: Readable): void {
  ctx.type = LINES_TYPE;
  ctx.set('Cache-Control', 'private, no-store');
  ctx.vary('Authorization');
  if (ctx.method === 'HEAD') {
    lines.destroy();
    ctx.status = 200;
    return;
  }
  // koa-compress does not know that this type can be compressed.
  if (ctx.compress !== false) ctx.compress = true;
  ctx.body = lines;
  // The compressing stream does not notice when the lines are cut.
  lines.once('close', () => {
    if (!lines.readableEnded) ctx.res.destroy();
  });
}
