import type { Context } from 'koa';
import { hashToken } from '../../../schemas/console-token.ts';
import type { Clock } from '../../../service/clock.ts';
import { type ConsoleSession, findSession } from '../../../store/access/console-sessions.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import { readSessionToken } from './cookie.ts';

export interface SessionSources {
  /** For sessions, whose look-ups must not wait for slow reads. */
  sessionPool: DatabasePool;
  clock: Clock;
}

/** The session of a request, and its token. @returns null if it has none, or its session has ended */
export async function findCurrentSession(
  ctx: Context,
  { sessionPool, clock }: SessionSources,
): Promise<{ token: string; session: ConsoleSession } | null> {
  const token = readSessionToken(ctx);
  const session = token === null ? null : await findSession(sessionPool, hashToken(token));
  return token !== null && session !== null && isUsable(session, clock.now()) ? { token, session } : null;
}

/** Whether a session is still valid. Operators keep theirs in a suspended account, because only they can resume it. */
function isUsable({ expiresAt, suspended, role }: ConsoleSession, now: number): boolean {
  return expiresAt > now && (!suspended || role === 'operator');
}
