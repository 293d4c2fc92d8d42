import type { ClientBase } from 'pg';
import { isNameCorrection } from '../../domain/candidate-names.ts';

interface Rename {
  ordinal: string;
  /** The key of the choice. */
  choice: string;
  before: string;
  after: string;
}

/**
 * Refuses staged contests in which a choice keeps its key but gets another person's name, because its endorsements
 * would become endorsements of that person (INV-16; contract, "Candidates"). The same `candidate.key` as before says
 * that it is the same person.
 */
export async function refuseRenames(client: ClientBase): Promise<void> {
  const { rows } = await client.query<Rename>(`
    SELECT staged.ordinal, choice ->> 'key' AS choice, old.full_name AS before,
      choice -> 'candidate' ->> 'full_name' AS after
    FROM staged CROSS JOIN jsonb_array_elements(staged.record -> 'choices') AS choice
      JOIN contests c ON c.key = staged.key AND c.removed_at IS NULL
      JOIN choices h ON h.contest_id = c.id AND h.key = choice ->> 'key' AND h.removed_at IS NULL
      JOIN candidates old ON old.id = h.candidate_id
    WHERE staged.kind = 'contests' AND NOT staged.refused
      AND choice -> 'candidate' ->> 'full_name' <> old.full_name
      AND choice -> 'candidate' ->> 'key' IS DISTINCT FROM old.key
    ORDER BY staged.ordinal, choice ->> 'key'`);
  const first = new Map<string, Rename>();
  for (const rename of rows) {
    if (!isNameCorrection(rename.before, rename.after) && !first.has(rename.ordinal)) {
      first.set(rename.ordinal, rename);
    }
  }
  const refused = [...first.values()];
  await client.query(
    `UPDATE staged SET refused = true, field = 'choices', reason = 'name another person under a known key',
       problem = 'name ' || to_json(given.after) || ' under the key ' || to_json(given.choice) || ', which belongs to '
         || to_json(given.before) || ' and its endorsements; use a new key, give the candidate.key of before if it is '
         || 'the same person, or import with --allow-renames'
     FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[]) AS given (ordinal, choice, before, after)
     WHERE given.ordinal = staged.ordinal`,
    [
      refused.map(({ ordinal }) => ordinal),
      refused.map(({ choice }) => choice),
      refused.map(({ before }) => before),
      refused.map(({ after }) => after),
    ],
  );
}
