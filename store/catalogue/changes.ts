/*
 * Lists the records that an import changes, for people who look at its preview, and so that they get what they have seen.
 * Commands do not ask for the list: a national import has millions.
 */
import type { ClientBase } from 'pg';

/** A record that an import adds, changes or removes. */
export interface ChangedRecord {
  change: 'added' | 'changed' | 'removed';
  /** The table of the record. */
  kind: string;
  /** The key or slug; with the contest's key for choices and candidates. */
  name: string;
  /** The record's own name, title or label. */
  label: string;
}

export interface CatalogueChanges {
  /** Equal lists have equal digests. A record that was something else before its change is another one. */
  digest: string;
  /** The first ones: removed records before changed ones, and added ones last. */
  first: ChangedRecord[];
}

/** Begins the list of an import, with a hash of what each changed record was before. It lives until the transaction ends. */
export async function beginListing(client: ClientBase): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE catalogue_changes (change text, kind text, name text, label text, before text)
     ON COMMIT DROP`,
  );
}

const isListing = async (client: ClientBase): Promise<boolean> => {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT to_regclass('pg_temp.catalogue_changes') IS NOT NULL AS found`,
  );
  return rows[0]?.found ?? false;
};

/**
 * Adds records to the list, if there is one, before the merge writes them.
 *
 * @param plan.name an expression over staged rows `s`
 * @param plan.label another one
 * @param from the FROM and WHERE that choose the staged rows
 * @param before the row before the change, an expression
 */
export async function listRecords(
  client: ClientBase,
  change: 'added' | 'changed',
  { table, name, label }: { table: string; name: string; label: string },
  from: string,
  before = 'NULL',
): Promise<void> {
  if (!(await isListing(client))) return;
  await client.query(
    `INSERT INTO catalogue_changes SELECT '${change}', '${table}', ${name}, ${label}, md5((${before})::text) ${from}`,
  );
}

/** Adds what the import has removed to the list, if there is one. The choices of removed contests go without saying. */
export async function listRemoved(client: ClientBase): Promise<void> {
  if (!(await isListing(client))) return;
  await client.query(`
    INSERT INTO catalogue_changes (change, kind, name, label)
    SELECT 'removed', 'contests', key, title FROM removed_contests JOIN contests USING (id)
    UNION ALL
    SELECT 'removed', 'choices', c.key || '/' || h.key, h.label
    FROM emptied_choices e JOIN choices h USING (id) JOIN contests c ON c.id = h.contest_id
    WHERE e.removed AND c.id NOT IN (SELECT id FROM removed_contests)`);
}

/** Reads the list. @param limit the most records to read; the digest is of all */
export async function readChanges(client: ClientBase, limit: number): Promise<CatalogueChanges> {
  const { rows: digests } = await client.query<{ digest: string }>(
    `SELECT count(*) || '-' || COALESCE(sum(hashtextextended(concat_ws(' ', change, kind, name, before), 0)::numeric), 0)
       AS digest FROM catalogue_changes`,
  );
  const { rows: first } = await client.query<ChangedRecord>(
    `SELECT change, kind, name, label FROM catalogue_changes
     ORDER BY array_position(ARRAY['removed', 'changed', 'added'], change), kind, name COLLATE "C" LIMIT $1`,
    [limit],
  );
  return { digest: digests[0]?.digest ?? '', first };
}
