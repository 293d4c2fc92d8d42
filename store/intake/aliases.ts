import type { ClientBase } from 'pg';
import type { Alias } from '../../schemas/alias-files.ts';

export interface StoredAlias extends Alias {
  id: number;
  decided_at: Date;
}

/** A page of a list's decisions. @param accountId null for the operators' list */
export async function loadAliases(
  client: ClientBase,
  accountId: number | null,
  { after, limit }: { after: number; limit: number },
): Promise<StoredAlias[]> {
  const { rows } = await client.query<StoredAlias>(
    `SELECT id, kind, scope, text, key, decided_at FROM intake_aliases
    WHERE account_id IS NOT DISTINCT FROM $1 AND id > $2 ORDER BY id LIMIT $3`,
    [accountId, after, limit],
  );
  return rows;
}

/**
 * Remembers decisions. A later one about the same text replaces an earlier one.
 *
 * @returns the number of new and changed ones
 */
export async function saveAliases(
  client: ClientBase,
  accountId: number | null,
  aliases: readonly Alias[],
): Promise<number> {
  const { rowCount } = await client.query(
    `INSERT INTO intake_aliases AS held (account_id, kind, scope, text, key)
    SELECT DISTINCT ON (kind, scope, text) $1::integer, kind, scope, text, key
    FROM ROWS FROM (jsonb_to_recordset($2) AS (kind text, scope text, text text, key text)) WITH ORDINALITY
      AS given (kind, scope, text, key, place)
    ORDER BY kind, scope, text, place DESC
    ON CONFLICT ON CONSTRAINT one_meaning_per_text
      DO UPDATE SET key = excluded.key, decided_at = now() WHERE held.key <> excluded.key`,
    [accountId, JSON.stringify(aliases)],
  );
  return rowCount ?? 0;
}

/** Forgets decisions of a list by their ids. @returns the ids that were found */
export async function deleteAliases(
  client: ClientBase,
  accountId: number | null,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(
    'DELETE FROM intake_aliases WHERE account_id IS NOT DISTINCT FROM $1 AND id = ANY($2) RETURNING id',
    [accountId, ids],
  );
  return rows.map(({ id }) => id);
}
