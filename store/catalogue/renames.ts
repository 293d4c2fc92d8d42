import type { ClientBase } from 'pg';
import { isNameCorrection } from '../../domain/candidate-names.ts';

/** A choice that keeps its key and becomes another candidate, or another answer. */
interface Rename {
  ordinal: string;
  contestId: number;
  /** The key of the choice. */
  choice: string;
  before: string;
  after: string;
  /** The identity of the candidate after the edit: the key, or else the name. */
  candidate: string | null;
  /** Whether the candidate or label was another choice's, and the choice does not just join it. */
  takesOver: boolean;
  /** Whether the choice had a candidate, whose key can say that it is the same person. */
  hadCandidate: boolean;
  /** Whether no line gives the choice: it stays, and a new line gives its candidate's key another name. */
  stays: boolean;
}

/**
 * Finds the choices that keep their keys and get candidates of other names or keys, or lose or get one. Those
 * without a candidate are called by their labels. The same `candidate.key` as before says that it is the same person.
 * Endorsed choices that have no candidate before and after count if they get another label, but not with the same answer.
 *
 * A choice joins another candidate if a line of that one stays, and its own candidate has no line any more: the two were
 * one person. Otherwise it takes the candidate over, however alike the names are.
 *
 * Choices that the lines lack, and that stay, get another name with it if no line is an earlier one of their candidate.
 */
const RENAMES = `
  WITH given AS (
    -- The choices that lines give.
    SELECT staged.ordinal, c.id AS contest_id, choice ->> 'key' AS choice, choice ->> 'label' AS label,
      choice -> 'candidate' ->> 'full_name' AS name,
      COALESCE(choice -> 'candidate' ->> 'key', choice -> 'candidate' ->> 'full_name') AS candidate,
      COALESCE(choice ->> 'option', choice ->> 'measure_answer') AS answer
    FROM staged CROSS JOIN jsonb_array_elements(staged.record -> 'choices') AS choice
      JOIN contests c ON c.key = staged.key AND c.removed_at IS NULL
    WHERE staged.kind = 'contests' AND NOT staged.refused
  ), held AS (
    -- The choices before the edit.
    SELECT h.id, h.contest_id, h.key AS choice, h.label, p.full_name AS name, p.key AS candidate,
      COALESCE(h.option, h.measure_answer) AS answer
    FROM choices h LEFT JOIN candidates p ON p.id = h.candidate_id
    WHERE h.removed_at IS NULL AND h.contest_id IN (SELECT contest_id FROM given)
  ), standing AS (
    -- The choices after the edit.
    SELECT contest_id, choice, candidate FROM given
    UNION ALL
    SELECT contest_id, choice, candidate FROM held h
    WHERE $1 AND NOT EXISTS (
      SELECT FROM given g WHERE g.contest_id = h.contest_id AND g.choice = h.choice)
  ), candidates_before AS (
    SELECT DISTINCT contest_id, candidate FROM held
  ), candidates_after AS (
    SELECT DISTINCT contest_id, candidate FROM standing
  ), kept AS (
    -- The candidates that stay under one of their keys.
    SELECT DISTINCT contest_id, candidate FROM held JOIN standing USING (contest_id, choice, candidate)
  ), given_again AS (
    -- Those of them whose key a line gives.
    SELECT DISTINCT contest_id, candidate FROM held JOIN given USING (contest_id, choice, candidate)
  )
  -- Choices that a line gives, with another candidate than before.
  SELECT g.ordinal, g.contest_id AS "contestId", g.choice, g.candidate,
    CASE WHEN g.name IS NULL OR h.name IS NULL THEN h.label ELSE h.name END AS before,
    CASE WHEN g.name IS NULL OR h.name IS NULL THEN g.label ELSE g.name END AS after,
    -- It joins the new candidate only if that one was there and stays, and the old one is gone.
    new_one.candidate IS NOT NULL AND (old_one.candidate IS NOT NULL OR kept.candidate IS NULL)
      -- Of two choices without candidates, one gets the label of the other.
      OR g.candidate IS NULL AND h.candidate IS NULL AND EXISTS (
        SELECT FROM held o WHERE o.contest_id = g.contest_id AND o.label = g.label) AS "takesOver",
    h.candidate IS NOT NULL AS "hadCandidate", false AS stays
  FROM given g JOIN held h USING (contest_id, choice)
    LEFT JOIN candidates_before new_one ON new_one.contest_id = g.contest_id AND new_one.candidate = g.candidate
    LEFT JOIN candidates_after old_one ON old_one.contest_id = g.contest_id AND old_one.candidate = h.candidate
    LEFT JOIN kept ON kept.contest_id = g.contest_id AND kept.candidate = g.candidate
  WHERE g.candidate <> h.candidate
    OR (g.candidate IS NULL) <> (h.candidate IS NULL) AND g.answer IS NULL AND h.answer IS NULL
    OR g.candidate IS NULL AND h.candidate IS NULL AND g.label <> h.label AND (g.answer = h.answer) IS NOT TRUE
      AND EXISTS (SELECT FROM endorsements n WHERE n.contest_id = g.contest_id AND n.choice_id = h.id)
  UNION ALL
  -- Choices that no line gives, whose candidate gets another name by a new line.
  SELECT g.ordinal, g.contest_id, h.choice, g.candidate, h.name, g.name, false, true, true
  FROM held h JOIN given g USING (contest_id, candidate)
  WHERE $1 AND g.name <> h.name
    AND NOT EXISTS (SELECT FROM given o WHERE o.contest_id = h.contest_id AND o.choice = h.choice)
    AND NOT EXISTS (SELECT FROM given_again a WHERE a.contest_id = h.contest_id AND a.candidate = h.candidate)
  ORDER BY ordinal, choice`;

/**
 * Refuses staged contests in which a choice keeps its key but becomes another person or answer, because its endorsements
 * would become endorsements of that one (INV-16; contract, "Candidates"). If that is allowed, notes these choices in the
 * temporary table `other_people` instead.
 *
 * @param options.keepMissing whether choices that the lines lack stay
 */
export async function noteRenames(
  client: ClientBase,
  { keepMissing, allowRenames }: { keepMissing: boolean; allowRenames: boolean },
): Promise<void> {
  await client.query('CREATE TEMPORARY TABLE other_people (contest_id integer, choice text) ON COMMIT DROP');
  const { rows } = await client.query<Rename>(RENAMES, [keepMissing]);
  const renames = rows.filter(
    ({ before, after, takesOver }) => takesOver || !isNameCorrection(before, after),
  );
  if (allowRenames) {
    await client.query('INSERT INTO other_people SELECT * FROM unnest($1::int[], $2::text[])', [
      renames.map(({ contestId }) => contestId),
      renames.map(({ choice }) => choice),
    ]);
    return;
  }
  const first = new Map<string, Rename>();
  for (const rename of renames) if (!first.has(rename.ordinal)) first.set(rename.ordinal, rename);
  const refused = [...first.values()];
  await client.query(
    `UPDATE staged SET refused = true, field = 'choices', reason = 'name another choice under a known key',
       problem = given.problem
     FROM unnest($1::bigint[], $2::text[]) AS given (ordinal, problem)
     WHERE given.ordinal = staged.ordinal`,
    [refused.map(({ ordinal }) => ordinal), refused.map(describe)],
  );
}

function describe({ choice, before, after, candidate, takesOver, hadCandidate, stays }: Rename): string {
  const [key, old, now] = [choice, before, after].map((text) => JSON.stringify(text));
  if (stays) {
    return `name ${now} with the candidate.key ${JSON.stringify(candidate)}, which belongs to ${old} under the key ${key}, and its endorsements; use another candidate.key, or import with --allow-renames`;
  }
  const named =
    before === after
      ? `give the candidate ${JSON.stringify(candidate)} of another choice to the key ${key}`
      : `name ${now} under the key ${key}`;
  const same =
    takesOver || !hadCandidate ? '' : ', give the candidate.key of before if it is the same person';
  return `${named}, which belongs to ${old} and its endorsements; use a new key${same}, or import with --allow-renames`;
}
