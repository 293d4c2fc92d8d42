/*
 * Checks staged contests as they will be: with the choices that the lines lack, if these stay (`--keep-missing`).
 */
import type { ClientBase } from 'pg';
import type { ContestRecord } from '../../schemas/catalogue/contest-fields.ts';
import { findContradictions } from '../../schemas/catalogue/contradictions.ts';
import type { Problem } from '../../schemas/problems.ts';

/** The most contests that are compared in memory at a time. */
const PAGE = 500;

/** The choices of staged contests that stay. */
interface Kept {
  keepMissing: boolean;
  /** Choices that are removed all the same. */
  equals: readonly number[];
}

/**
 * Refuses staged contests that contradict themselves or choices that stay, which it lists in the temporary table
 * `kept_choices`. Keys must have their one form already.
 */
export async function refuseWithKept(client: ClientBase, { keepMissing, equals }: Kept): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE kept_choices ON COMMIT DROP AS
    SELECT staged.ordinal, h.contest_id, h.ballot_order, h.candidate_id, json_build_object(
      'key', h.key, 'label', h.label, 'measure_answer', h.measure_answer, 'party', h.party, 'option', h.option,
      'candidate', CASE WHEN p.id IS NOT NULL THEN
        json_build_object('full_name', p.full_name, 'key', NULLIF(p.key, p.full_name)) END)::jsonb AS choice
    FROM staged JOIN contests c ON c.key = staged.key AND c.removed_at IS NULL
      JOIN choices h ON h.contest_id = c.id AND h.removed_at IS NULL AND h.id <> ALL ($2)
      LEFT JOIN candidates p ON p.id = h.candidate_id
    WHERE $1 AND staged.kind = 'contests' AND NOT staged.refused AND h.key NOT IN (
      SELECT given ->> 'key' FROM jsonb_array_elements(staged.record -> 'choices') AS given)`,
    [keepMissing, equals],
  );
  await refuseNamesakes(client);
  if (keepMissing) await refuseContradictions(client);
}

/**
 * Refuses contests in which it is not clear which candidates of equal names are one person (INV-16; contract,
 * "Candidates"). Only fusion voting puts one candidate on several lines without keys, and if one line has a key, all
 * must have one. Names that differ in case, accents and punctuation alone need keys as well.
 */
async function refuseNamesakes(client: ClientBase): Promise<void> {
  await client.query(`
    WITH fusion AS (
      SELECT key AS slug, (record -> 'details' ->> 'fusion_voting')::boolean AS is_allowed
      FROM staged WHERE kind = 'elections' AND NOT refused
      UNION ALL
      SELECT slug, (details ->> 'fusion_voting')::boolean FROM elections
      WHERE slug NOT IN (SELECT key FROM staged WHERE kind = 'elections' AND NOT refused)
    ), lines AS (
      SELECT ordinal, choice -> 'candidate' AS candidate
      FROM staged CROSS JOIN jsonb_array_elements(record -> 'choices') AS choice
      WHERE kind = 'contests' AND NOT refused
      UNION ALL
      SELECT ordinal, choice -> 'candidate' FROM kept_choices
    ), named AS (
      SELECT ordinal, candidate ->> 'full_name' AS name, candidate ->> 'key' AS key,
        trim(regexp_replace(name_search(candidate ->> 'full_name'), '[[:punct:][:space:]]+', ' ', 'g')) AS spelled
      FROM lines WHERE candidate ->> 'full_name' IS NOT NULL
    ), namesakes AS (
      SELECT DISTINCT ON (staged.ordinal) staged.ordinal, count(named.key) > 0 AS have_keys,
        array_agg(DISTINCT to_json(name)::text) AS names
      FROM named JOIN staged USING (ordinal)
      GROUP BY staged.ordinal, staged.record ->> 'election', spelled
      HAVING count(*) > 1 AND count(named.key) < count(*)
        AND (count(named.key) > 0 OR count(DISTINCT name) > 1
          OR staged.record ->> 'election' NOT IN (SELECT slug FROM fusion WHERE is_allowed))
      ORDER BY staged.ordinal, spelled
    )
    UPDATE staged
    SET refused = true, field = 'choices',
      reason = 'have candidates of equal names',
      problem = CASE WHEN cardinality(names) = 1
        THEN 'have several candidates named ' || names[1] || '; give each a candidate.key, the same '
          || 'one for one person on several lines'
          || CASE WHEN have_keys THEN '' ELSE ', or set fusion_voting in the details of the election' END
        ELSE 'have candidates named ' || array_to_string(names, ' and ') || '; give a person on several lines one '
          || 'spelling, and different people a candidate.key each' END
    FROM namesakes
    WHERE namesakes.ordinal = staged.ordinal`);
}

/** Refuses contests whose choices do not agree with those that stay (contract, "Fields must agree"). */
async function refuseContradictions(client: ClientBase): Promise<void> {
  for (let after = '0'; ; ) {
    const { rows } = await client.query<{
      ordinal: string;
      record: ContestRecord;
      kept: ContestRecord['choices'];
    }>(
      `SELECT ordinal, record, json_agg(choice ORDER BY ballot_order) AS kept
       FROM staged JOIN (SELECT * FROM kept_choices) AS kept USING (ordinal)
       WHERE ordinal > $1 AND NOT refused GROUP BY ordinal, record ORDER BY ordinal LIMIT ${PAGE}`,
      [after],
    );
    for (const { ordinal, record, kept } of rows) {
      const [problem] = findContradictions({ ...record, choices: [...record.choices, ...kept] });
      if (problem) await refuse(client, ordinal, problem);
    }
    const last = rows.at(-1);
    if (!last) return;
    after = last.ordinal;
  }
}

async function refuse(client: ClientBase, ordinal: string, { field, message }: Problem): Promise<void> {
  await client.query(
    `UPDATE staged SET refused = true, field = 'choices', reason = 'contradict choices that --keep-missing keeps',
       problem = $2 WHERE ordinal = $1`,
    [ordinal, `contradict choices that --keep-missing keeps: with these, ${field} ${message}`],
  );
}
