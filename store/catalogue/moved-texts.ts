import type { ClientBase } from 'pg';
import { STAYS } from './removal.ts';

/**
 * Finds the endorsed measures and retentions that get the title or the description that another one of the election
 * loses, as after a renumbering.
 */
const MOVED_TEXTS = `
  WITH given AS (
    SELECT c.id, c.election_id, staged.ordinal, record.title, record.description
    FROM staged CROSS JOIN jsonb_to_record(staged.record) AS record(title text, description text)
      JOIN contests c ON c.key = staged.key
    WHERE staged.kind = 'contests' AND NOT staged.refused
  ), changed AS (
    -- The texts before and after the edit, which are NULL after it if the question goes.
    SELECT c.id, c.key, c.election_id, given.ordinal, text.field, text.before, text.after
    FROM contests c LEFT JOIN given USING (id)
      CROSS JOIN LATERAL (VALUES
        ('title', c.title, given.title), ('description', c.description, given.description)
      ) AS text (field, before, after)
    WHERE c.kind <> 'candidate' AND c.removed_at IS NULL
      AND c.election_id IN (SELECT election_id FROM given)
      AND NOT ${STAYS} AND text.before IS DISTINCT FROM text.after
  )
  SELECT DISTINCT ON (gets.ordinal) gets.ordinal, gets.field, loses.key
  FROM changed gets JOIN changed loses
    ON loses.election_id = gets.election_id AND loses.field = gets.field AND loses.before = gets.after
  WHERE EXISTS (SELECT FROM endorsements n WHERE n.contest_id = gets.id)
  ORDER BY gets.ordinal, gets.field DESC, loses.key`;

/**
 * Refuses staged contests that give the text of a question to the key of another one. The endorsements of that key would
 * become endorsements of the text.
 *
 * @param options.keepMissing whether contests that the lines lack stay
 */
export async function refuseMovedTexts(
  client: ClientBase,
  { keepMissing }: { keepMissing: boolean },
): Promise<void> {
  await client.query(
    `UPDATE staged SET refused = true, field = moved.field, reason = 'belonged to another question',
       problem = 'belonged to ' || to_json(moved.key) || ', but the endorsements under this key are of another text; '
         || 'give each text the key that it had, or import with --allow-renames'
     FROM (${MOVED_TEXTS}) AS moved WHERE moved.ordinal = staged.ordinal`,
    [keepMissing],
  );
}
