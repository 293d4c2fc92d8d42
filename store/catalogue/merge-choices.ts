import type { ClientBase } from 'pg';
import { type MergeCounts, mergeStaged } from './merge.ts';
import { noteChangedMeanings } from './settled.ts';

/** The name of a choice or a candidate among all. */
const NAME = "(SELECT key FROM contests WHERE id = s.contest_id) || '/' || s.key";

/** Spreads the choices of the staged contests into `choice_records`. The contests must be merged already. */
export async function spreadChoices(client: ClientBase): Promise<void> {
  await client.query(`
    CREATE TEMPORARY TABLE choice_records ON COMMIT DROP AS
    SELECT row_number() OVER (ORDER BY contest.ordinal, item.number) AS ordinal,
      contests.id AS contest_id, item.number::integer AS ballot_order, record.*,
      record.candidate ->> 'full_name' AS full_name,
      COALESCE(record.candidate ->> 'key', record.candidate ->> 'full_name') AS candidate_key
    FROM contest_records contest
    JOIN contests ON contests.key = contest.key
    CROSS JOIN jsonb_array_elements(contest.choices) WITH ORDINALITY AS item(choice, number)
    CROSS JOIN jsonb_to_record(item.choice)
      AS record(key text, label text, label_es text, measure_answer text, candidate jsonb, party text,
        party_label text, party_label_es text, option text, withdrawn boolean, ballot_designation text,
        ballot_designation_es text, details jsonb)`);
  await client.query('ANALYZE choice_records');
}

/**
 * Gives each candidate with a corrected name, or with a name that stays and no key any more, this name as its key, so
 * that the merge finds the candidate and keeps its id. A candidate qualifies if its choice was not removed, no staged
 * choice of the contest has its old key, and no candidate of the contest has its new key yet. Another person under its
 * key (`other_people`) is a new candidate if a line that stays (`kept_choices`) still has the old one.
 */
async function rekeyCorrectedCandidates(client: ClientBase): Promise<void> {
  await client.query(`
    UPDATE candidates t SET key = corrected.candidate_key
    FROM (
      SELECT DISTINCT ON (contest_id, candidate_key) contest_id, candidate_key, candidate_id
      FROM (
        SELECT DISTINCT ON (old.id) old.id AS candidate_id, r.contest_id, r.candidate_key
        FROM choice_records r
        JOIN choices h ON h.contest_id = r.contest_id AND h.key = r.key AND h.removed_at IS NULL
        JOIN candidates old ON old.id = h.candidate_id AND old.full_name IN (old.key, r.candidate_key)
        WHERE r.candidate_key <> old.key
          AND NOT EXISTS (
            SELECT FROM choice_records o WHERE o.contest_id = r.contest_id AND o.candidate_key = old.key)
          AND NOT EXISTS (
            SELECT FROM candidates n WHERE n.contest_id = r.contest_id AND n.key = r.candidate_key)
          AND NOT (EXISTS (SELECT FROM other_people a WHERE a.contest_id = r.contest_id AND a.choice = r.key)
            AND EXISTS (SELECT FROM kept_choices k WHERE k.candidate_id = old.id))
        ORDER BY old.id, r.ordinal
      ) AS renamed
      ORDER BY contest_id, candidate_key, candidate_id
    ) AS corrected
    WHERE t.id = corrected.candidate_id`);
}

/** Merges the candidates of the choices. A candidate on several party lines gets one row. */
export async function mergeCandidates(client: ClientBase): Promise<MergeCounts> {
  await rekeyCorrectedCandidates(client);
  await client.query(`
    CREATE TEMPORARY TABLE staged_candidates ON COMMIT DROP AS
    SELECT DISTINCT ON (contest_id, candidate_key) ordinal, contest_id, candidate_key AS key, full_name
    FROM choice_records
    WHERE candidate_key IS NOT NULL
    ORDER BY contest_id, candidate_key, ordinal`);
  return mergeStaged(client, {
    table: 'candidates',
    staged: 'staged_candidates',
    on: 't.contest_id = s.contest_id AND t.key = s.key',
    identity: ['contest_id', 'key'],
    columns: ['full_name'],
    name: NAME,
    label: 's.full_name',
  });
}

/**
 * Merges the choices. Restores removed ones. Beside choices that the lines lack (`kept_choices`), those that were there
 * keep their places, and new ones follow all others.
 */
export async function mergeChoices(client: ClientBase): Promise<MergeCounts> {
  await client.query(`
    CREATE TEMPORARY TABLE staged_choices ON COMMIT DROP AS
    SELECT choice.ordinal, choice.contest_id, choice.key, choice.label, choice.label_es, choice.measure_answer,
      candidates.id AS candidate_id, choice.party, choice.party_label, choice.party_label_es, choice.option,
      COALESCE(choice.withdrawn, false) AS withdrawn, choice.ballot_designation, choice.ballot_designation_es,
      CASE WHEN beside.last IS NULL THEN choice.ballot_order
        ELSE COALESCE(old.ballot_order, beside.last + choice.ballot_order) END AS ballot_order,
      COALESCE(choice.details, '{}') AS details, NULL::timestamptz AS removed_at
    FROM choice_records choice
    LEFT JOIN candidates
      ON candidates.contest_id = choice.contest_id AND candidates.key = choice.candidate_key
    LEFT JOIN choices old
      ON old.contest_id = choice.contest_id AND old.key = choice.key AND old.removed_at IS NULL
    LEFT JOIN (SELECT contest_id, max(ballot_order) AS last FROM choices WHERE removed_at IS NULL
        AND contest_id IN (SELECT contest_id FROM kept_choices) GROUP BY contest_id)
      AS beside ON beside.contest_id = choice.contest_id`);
  await noteChangedMeanings(client);
  return mergeStaged(client, {
    table: 'choices',
    staged: 'staged_choices',
    on: 't.contest_id = s.contest_id AND t.key = s.key',
    identity: ['contest_id', 'key'],
    columns: [
      ...['label', 'label_es', 'measure_answer', 'candidate_id', 'party', 'party_label', 'party_label_es'],
      ...['option', 'withdrawn', 'ballot_designation', 'ballot_designation_es', 'ballot_order', 'details'],
      'removed_at',
    ],
    name: NAME,
    label: 's.label',
  });
}
