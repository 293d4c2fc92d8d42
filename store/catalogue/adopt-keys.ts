/*
 * Rows that no import wrote can have keys in another form than the one of text, such as with a space at the end. An
 * import gives them their form before it compares keys, so that the rows keep their ids (decision 44).
 */
import type { ClientBase } from 'pg';
import { normalizeText } from '../../schemas/text.ts';
import { keepParts } from './stale.ts';

/** The contests of the elections whose contests are staged: an import touches no other election. */
const STAGED_CONTESTS = `(SELECT c.id FROM contests c JOIN elections l ON l.id = c.election_id
  WHERE l.slug IN (SELECT record ->> 'election' FROM staged WHERE kind = 'contests' AND NOT refused))`;

/** The texts of a table's keys. */
interface Keys {
  table: 'districts' | 'contests' | 'candidates' | 'choices';
  texts: readonly string[];
  /** The rows that the staged lines may name. */
  where: string;
  /** Whether another row `o` has the key of `t` with the texts $2, $3... */
  taken: string;
}
const KEYS: readonly Keys[] = [
  {
    table: 'districts',
    texts: ['type', 'name', 'ocd_id'],
    where: 'true',
    // As the unique index districts_identity compares.
    taken: `o.type = $2 AND COALESCE(o.ocd_id, o.name) = COALESCE($4, $3) AND (o.ocd_id IS NULL) = ($4 IS NULL)
      AND o.level = t.level AND COALESCE(o.state, '') = COALESCE(t.state, '')`,
  },
  { table: 'contests', texts: ['key'], where: `id IN ${STAGED_CONTESTS}`, taken: 'o.key = $2' },
  ...(['candidates', 'choices'] as const).map((table) => ({
    table,
    texts: ['key'],
    where: `contest_id IN ${STAGED_CONTESTS}`,
    taken: 'o.contest_id = t.contest_id AND o.key = $2',
  })),
];

/** Visible ASCII with single spaces, which is in the one form. */
const PLAIN = `'^[!-~]+( [!-~]+)*$'`;

/** Contests and choices whose keys are others' keys in another form, so that no file can name them. */
export interface Equals {
  contests: readonly number[];
  choices: readonly number[];
}

/** Gives the keys that the staged lines may name their one form. @returns the rows whose form another row has already */
export async function adoptKeys(client: ClientBase): Promise<Equals> {
  const equals: Record<Keys['table'], number[]> = {
    districts: [],
    contests: [],
    candidates: [],
    choices: [],
  };
  for (const keys of KEYS) equals[keys.table] = await adopt(client, keys);
  return equals;
}

async function adopt(client: ClientBase, { table, texts, where, taken }: Keys): Promise<number[]> {
  const { rows } = await client.query<{ id: number; held: (string | null)[] }>(
    `SELECT id, json_build_array(${texts.join(', ')}) AS held
     FROM ${table} WHERE (${texts.map((text) => `${text} !~ ${PLAIN}`).join(' OR ')}) AND ${where} ORDER BY id`,
  );
  const equals: number[] = [];
  for (const { id, held } of rows) {
    const forms = held.map((text) => text && normalizeText(text));
    if (forms.every((form, index) => form === held[index])) continue;
    // The other keys are in no event.
    if (table === 'districts') await keepParts(client, table, `FROM districts t WHERE t.id = ${id}`);
    const { rowCount } = await client.query(
      `UPDATE ${table} t SET ${texts.map((text, index) => `${text} = $${index + 2}::text`).join(', ')}
       WHERE id = $1 AND NOT EXISTS (SELECT FROM ${table} o WHERE o.id <> t.id AND ${taken})`,
      [id, ...forms],
    );
    if (rowCount === 0) equals.push(id);
  }
  return equals;
}
