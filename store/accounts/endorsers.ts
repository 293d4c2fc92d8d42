import type { ClientBase, Pool } from 'pg';
import { type Actor, recordAudit } from './audit-log.ts';

/** Some endorsers do not exist. */
export class UnknownEndorsersError extends Error {
  override name = 'UnknownEndorsersError';
  readonly slugs: readonly string[];

  constructor(slugs: readonly string[]) {
    super(`There are no endorsers ${slugs.join(', ')}.`);
    this.slugs = slugs;
  }
}

/** An endorser for which an account may publish. */
export interface AllowedEndorser {
  slug: string;
  name: string;
  /** The code of its home; null for the whole nation. */
  state: string | null;
}

/**
 * The endorsers for which an account may publish, by slug.
 *
 * @param page only slugs after one, and the most of them; `chosen` is the last to be left out
 */
export async function listAllowedEndorsers(
  client: ClientBase | Pool,
  accountId: number,
  { after = '', limit, chosen = null }: { after?: string; limit?: number; chosen?: string | null } = {},
): Promise<AllowedEndorser[]> {
  const { rows } = await client.query<AllowedEndorser>(
    `SELECT * FROM (
       SELECT e.slug, e.name, e.state FROM account_endorsers a JOIN endorsers e ON e.id = a.endorser_id
       WHERE a.account_id = $1 AND e.slug > $2 ORDER BY e.slug <> $4, e.slug LIMIT $3) AS listed ORDER BY slug`,
    [accountId, after, limit ?? null, chosen],
  );
  return rows;
}

/**
 * Allows an account to publish for endorsers, or no longer. Taking a right back waits for submissions that are just being
 * sent; none follows. Writes to the audit log only what changes.
 *
 * @param slugs each once
 * @returns the endorsers for which something changed
 * @throws UnknownEndorsersError if some endorsers do not exist; nothing changes then
 */
export async function setEndorsersAllowed(
  client: ClientBase,
  account: { id: number; name: string },
  { slugs, isAllowed }: { slugs: readonly string[]; isAllowed: boolean },
  actor: Actor,
): Promise<string[]> {
  const { rows: known } = await client.query<{ id: number; slug: string }>(
    'SELECT id, slug FROM endorsers WHERE slug = ANY($1) ORDER BY id FOR KEY SHARE',
    [slugs],
  );
  const unknown = slugs.filter((slug) => !known.some((one) => one.slug === slug));
  if (unknown.length > 0) throw new UnknownEndorsersError(unknown);
  const change = isAllowed
    ? `INSERT INTO account_endorsers (account_id, endorser_id) SELECT $1, unnest($2::int[]) ON CONFLICT DO NOTHING
       RETURNING endorser_id AS id`
    : 'DELETE FROM account_endorsers WHERE account_id = $1 AND endorser_id = ANY($2) RETURNING endorser_id AS id';
  const { rows: changed } = await client.query<{ id: number }>(change, [
    account.id,
    known.map(({ id }) => id),
  ]);
  const ids = new Set(changed.map(({ id }) => id));
  const endorsers = known.flatMap(({ id, slug }) => (ids.has(id) ? [slug] : [])).sort();
  if (endorsers.length > 0) {
    await recordAudit(client, actor, {
      action: isAllowed ? 'account.endorsers_allowed' : 'account.endorsers_disallowed',
      subject: `account ${account.name}`,
      accountId: account.id,
      details: { endorsers },
    });
  }
  return endorsers;
}

/** The slugs of all endorsers. */
export async function listEndorserSlugs(client: ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ slug: string }>('SELECT slug FROM endorsers ORDER BY slug');
  return rows.map(({ slug }) => slug);
}
