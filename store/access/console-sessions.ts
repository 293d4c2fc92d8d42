import { z } from 'zod';
import { ROLES } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';

const limit = z.number().nullable();

const sessionRow = z.object({
  id: z.number(),
  /** Milliseconds since 1970. */
  expiresAt: z.number(),
  /** The person's name, as the audit log shows it. */
  person: z.string(),
  personId: z.number().nullable(),
  role: z.enum(ROLES),
  accountId: z.number(),
  account: z.string(),
  plan: z.string(),
  suspended: z.boolean(),
  requestsPerMinute: limit,
  requestsPerDay: limit,
  maxStreams: limit,
});

/** A session of the console, with its person, the account that it shows and the limits of that account's plan. */
export type ConsoleSession = z.infer<typeof sessionRow>;

/** Looks the role up each time, so that changes take effect. Leaving an account ends the person's sessions on it. */
const SESSIONS = sql.fragment`
  SELECT s.id, s.hash, (extract(epoch FROM s.expires_at) * 1000)::bigint AS "expiresAt",
    coalesce(s.link_person, p.email) AS person, s.person_id AS "personId",
    CASE WHEN s.link_role IS NOT NULL THEN s.link_role WHEN p.is_operator THEN 'operator' ELSE m.role END AS role,
    a.id AS "accountId", a.name AS account, a.plan, a.suspended_at IS NOT NULL AS suspended,
    l.requests_per_minute AS "requestsPerMinute", l.requests_per_day AS "requestsPerDay",
    l.max_streams AS "maxStreams"
  FROM console_sessions s JOIN accounts a ON a.id = s.account_id JOIN plans l ON l.name = a.plan
    LEFT JOIN people p ON p.id = s.person_id
    LEFT JOIN account_members m ON m.person_id = s.person_id AND m.account_id = s.account_id`;

/** Finds a session by the hash of its token. @returns null if it has ended, or if its person has left the account */
export async function findSession(pool: DatabasePool, hash: Buffer): Promise<ConsoleSession | null> {
  return pool.maybeOne(sql.type(sessionRow)`
    SELECT * FROM (${SESSIONS}) AS session WHERE hash = ${sql.binary(hash)} AND role IS NOT NULL`);
}

const stateRow = sessionRow.pick({ id: true, expiresAt: true, suspended: true, accountId: true });

/** Everything except deletion that can end a session or its streams. */
export type SessionState = z.infer<typeof stateRow>;

/** The states of many sessions at once, by id, without ended sessions. */
export async function findSessionStates(
  pool: DatabasePool,
  ids: readonly number[],
): Promise<Map<number, SessionState>> {
  const rows = await pool.any(sql.type(stateRow)`
    SELECT * FROM (${SESSIONS}) AS session WHERE id = ANY(${sql.array(ids, 'int4')}) AND role IS NOT NULL`);
  return new Map(rows.map((row) => [row.id, row]));
}
