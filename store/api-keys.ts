import { z } from 'zod';
import { SCOPES } from '../schemas/vocabulary.ts';
import { type DatabasePool, sql } from './pool.ts';

const keyRow = z.object({
  id: z.number(),
  accountId: z.number(),
  account: z.string(),
  plan: z.string(),
  scopes: z.array(z.enum(SCOPES)),
  /** Milliseconds since 1970. */
  expiresAt: z.number().nullable(),
  revoked: z.boolean(),
  suspended: z.boolean(),
});

/** What the store knows of an API key, and of the account that it belongs to. */
export type StoredKey = z.infer<typeof keyRow>;

/** Looks a key up by the SHA-256 of its text; null where nobody has it. */
export async function findKey(pool: DatabasePool, hash: Buffer): Promise<StoredKey | null> {
  return pool.maybeOne(sql.type(keyRow)`
    SELECT k.id, a.id AS "accountId", a.name AS account, a.plan, k.scopes,
      (extract(epoch FROM k.expires_at) * 1000)::float8 AS "expiresAt",
      k.revoked_at IS NOT NULL AS revoked, a.suspended_at IS NOT NULL AS suspended
    FROM api_keys k JOIN accounts a ON a.id = k.account_id
    WHERE k.hash = ${sql.binary(hash)}`);
}
