import type { Context, Middleware } from 'koa';
import { READ_METHODS } from '../http/methods.ts';
import type { Share } from '../limits/share.ts';
import type { AnswerBudget } from './answer-budget.ts';

/** A client that takes nothing of an answer for this long is disconnected, in milliseconds. */
const STALL_MS = 30_000;
/** The kernel takes smaller answers at once, in bytes. */
const STALLING_FROM_BYTES = 64 * 1024;

const shareOf = ({ state }: Context): Share => state.caller?.accountId ?? state.consoleShare ?? null;

/**
 * Counts every answer against the budget until its client has taken it, and disconnects a client that takes nothing.
 * A change that is made already is not refused. Bodies that are made while they are sent bound themselves (`lines`, streams).
 * Bodies of requests count while they are received.
 */
export function boundAnswers(budget: AnswerBudget): Middleware {
  return async (ctx, next) => {
    budget.requireShare(ctx.state.caller?.accountId ?? null);
    ctx.state.reserveBody = (bytes: number) =>
      budget.reserve({ share: shareOf(ctx), bytes, canRefuse: true });
    await next();
    const bytes = ctx.body && ctx.method !== 'HEAD' ? ctx.length : undefined;
    // A client that left while the answer was made takes nothing, and its response does not close again.
    if (!bytes || ctx.respond === false || ctx.res.closed) return;
    // A refused form has changed nothing.
    const canRefuse = READ_METHODS.includes(ctx.method) || ctx.status >= 400;
    // Files of the reference are the same bytes for every client.
    const shared = ctx.state.sharedBody ?? (Buffer.isBuffer(ctx.body) ? ctx.body : undefined);
    const release = budget.reserve({ share: shareOf(ctx), bytes, shared, canRefuse });
    ctx.res.once('close', release);
    // Node resets this time with the next request of the connection.
    if (bytes >= STALLING_FROM_BYTES) ctx.req.socket.setTimeout(STALL_MS);
  };
}
