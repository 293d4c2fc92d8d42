import { type Language, NATIONAL } from '../../schemas/vocabulary.ts';
import { sql } from '../connection/read-pool.ts';
import { columns, inEachLanguage, jsonObject, localized, type Sql } from './json.ts';

/*
 * The records and fields that queries share, over fixed aliases: `endorsers e`, `endorser_categories k`,
 * `contests c`, `districts d`, `elections l`, `choices h`, `candidates p`, `endorsements n`.
 */

/** The tables of endorsers, after FROM. */
export const ENDORSERS = sql.fragment`endorsers e JOIN endorser_categories k ON k.slug = e.category`;

/** The tables of contests, after FROM. */
export const CONTESTS = sql.fragment`contests c
  JOIN districts d ON d.id = c.district_id JOIN elections l ON l.id = c.election_id`;

/** The order of endorsers. */
export const BY_NAME = sql.fragment`e.name_order, e.id`;

/** The order of contests: by the date and slug of their election, then federal, state and local, then ballot order. */
export const CONTEST_ORDER = [
  sql.fragment`c.election_date`,
  sql.fragment`c.election_slug`,
  sql.fragment`c.tier`,
  sql.fragment`c.ballot_order`,
  sql.fragment`c.id`,
];

/** The choices on the ballot of the contest `c`, after FROM. */
export const BALLOT_CHOICES = sql.fragment`choices h LEFT JOIN candidates p ON p.id = h.candidate_id
  WHERE h.contest_id = c.id AND h.removed_at IS NULL`;
export const BALLOT_ORDER = sql.fragment`h.ballot_order, h.id`;

/** The home of an endorser. */
export const ENDORSER_STATE = sql.fragment`COALESCE(e.state, ${sql.literalValue(NATIONAL)})`;

/** {id, slug, name, category, state} */
export const endorserFields = (lang: Language): Record<string, Sql> => ({
  ...columns('e', ['id', 'slug', 'name']),
  category: jsonObject({ ...columns('k', ['slug']), ...localized('k', ['name'], lang) }),
  state: ENDORSER_STATE,
});
export const endorserRecord = (lang: Language): Sql => jsonObject(endorserFields(lang));

/** {rank, statement, source_url, published_on} */
export const pickFields = (lang: Language): Record<string, Sql> => ({
  ...columns('n', ['rank']),
  ...localized('n', ['statement'], lang),
  ...columns('n', ['source_url', 'published_on']),
});

/** {id, rank, statement, source_url, published_on, updated_at} */
export const endorsementFields = (lang: Language): Record<string, Sql> => ({
  ...columns('n', ['id']),
  ...pickFields(lang),
  updated_at: sql.fragment`iso_utc(n.updated_at)`,
});

/** {id, ocd_id, name, level, type, state} */
export const districtRecord = (lang: Language): Sql =>
  jsonObject({
    ...columns('d', ['id', 'ocd_id']),
    ...localized('d', ['name'], lang),
    ...columns('d', ['level', 'type', 'state']),
  });

/** {id, slug, name, date, state, type} */
export const electionRecord = (lang: Language): Sql =>
  jsonObject({
    ...columns('l', ['id', 'slug']),
    ...localized('l', ['name'], lang),
    ...columns('l', ['date', 'state', 'type']),
  });

/** {id, full_name}; null if a choice is not a candidate. */
export const candidateRecord: Sql = sql.fragment`CASE WHEN p.id IS NOT NULL THEN ${jsonObject(columns('p', ['id', 'full_name']))} END`;

/** A JSON list of the records of `from`, which follows FROM. */
export const jsonList = (record: Sql, from: Sql, order: Sql): Sql =>
  sql.fragment`(SELECT ('[' || COALESCE(string_agg(${record}::text, ',' ORDER BY ${order}), '') || ']')::json FROM ${from})`;

/** A JSON object with further fields at its end, without null ones. */
function withPresent(object: Sql, fields: Readonly<Record<string, Sql>>): Sql {
  const members = Object.entries(fields).map(
    ([name, value]) =>
      sql.fragment`COALESCE(${sql.literalValue(`,"${name}":`)} || to_json(${value})::text, '')`,
  );
  return sql.fragment`(left(${object}::text, -1) || ${sql.join(members, sql.fragment` || `)} || '}')::json`;
}

/** A whole choice (specification, "Choice"); `party_label` and `option` only if they apply. */
export function choiceRecord(lang: Language): Sql {
  const { party_label, ...texts } = localized('h', ['label', 'party_label', 'ballot_designation'], lang);
  const always = jsonObject({
    ...columns('h', ['id']),
    label: texts.label,
    ...columns('h', ['measure_answer']),
    candidate: candidateRecord,
    ...columns('h', ['party', 'withdrawn']),
    ballot_designation: texts.ballot_designation,
  });
  return withPresent(always, { party_label, ...columns('h', ['option']) });
}

/**
 * The fields of a contest without its choices (specification, "Contest"). The details have no nulls, and include the
 * official source if there is one.
 */
export const contestFields = (lang: Language): Record<string, Sql> => ({
  ...columns('c', ['id']),
  ...localized('c', ['title', 'short_title', 'description'], lang),
  ...columns('c', ['kind', 'vote_method', 'votes_allowed', 'ranks_allowed', 'measure_code', 'ballot_order']),
  ...columns('c', ['source_url']),
  district: districtRecord(lang),
  election: electionRecord(lang),
  details: sql.fragment`jsonb_strip_nulls(c.details || jsonb_build_object('source_url', c.source_url))`,
});

/** The choices on a contest's ballot. */
export const choiceList = (lang: Language): Sql => jsonList(choiceRecord(lang), BALLOT_CHOICES, BALLOT_ORDER);

/** A whole contest, with its choices in ballot order. */
export const contestRecord = inEachLanguage((lang) =>
  jsonObject({ ...contestFields(lang), choices: choiceList(lang) }),
);

/** The fields of a whole election (specification, "Election"). The details have no nulls. */
export const electionFields = (lang: Language) => ({
  ...columns('l', ['id', 'slug']),
  ...localized('l', ['name', 'short_name'], lang),
  ...columns('l', ['date', 'state', 'type', 'primary_system', 'info_url']),
  details: sql.fragment`jsonb_strip_nulls(l.details)`,
});
