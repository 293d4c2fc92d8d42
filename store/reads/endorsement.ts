import type { Language } from '../../schemas/vocabulary.ts';
import { type DatabasePool, sql } from '../connection/read-pool.ts';
import { inEachLanguage, jsonObject, recordRow } from './json.ts';
import { choiceRecord, contestFields, endorsementFields, endorserRecord } from './records.ts';

const record = inEachLanguage((lang) =>
  jsonObject({
    ...endorsementFields(lang),
    endorser: endorserRecord(lang),
    contest: jsonObject(contestFields(lang)),
    choice: choiceRecord(lang),
  }),
);

/** The JSON of one endorsement in full; null if it does not exist. */
export async function findEndorsement(
  pool: DatabasePool,
  id: number,
  lang: Language,
): Promise<string | null> {
  return pool.maybeOneFirst(
    sql.prepared(`endorsement-${lang}`, recordRow)`
      SELECT ${record(lang)}::text AS record
      FROM endorsements n
      JOIN endorsers e ON e.id = n.endorser_id JOIN endorser_categories k ON k.slug = e.category
      JOIN contests c ON c.id = n.contest_id JOIN districts d ON d.id = c.district_id
      JOIN elections l ON l.id = n.election_id
      JOIN choices h ON h.id = n.choice_id LEFT JOIN candidates p ON p.id = h.candidate_id
      WHERE n.id = ${id}`,
  );
}
