import { type FieldNames, foldName, namesOf } from '../tables/columns.ts';

/** The fields of a table of endorsements, with the usual names of their columns, folded. */
export const ENDORSEMENT_FIELDS = {
  endorser: [
    ...['endorser', 'endorser name', 'endorsing organization', 'endorsed by', 'organization', 'organisation'],
    ...['org', 'organization name', 'group', 'newspaper', 'publication', 'union', 'source organization'],
    ...['endorser slug'],
  ],
  election: ['election', 'election name', 'election slug'],
  election_date: ['election date', 'date of election', 'election year', 'election cycle', 'cycle'],
  state: ['state', 'state code'],
  district: ['district', 'district name', 'dist', 'jurisdiction', 'division', 'ocd id', 'district ocd id'],
  contest: [
    ...['contest', 'contest name', 'contest key', 'contest title', 'race', 'race name', 'office'],
    ...['office sought', 'office name', 'seat', 'measure', 'ballot measure', 'measure name', 'proposition'],
  ],
  choice: [
    ...['choice', 'candidate', 'candidate name', 'cand name', 'choice key', 'name', 'pick'],
    ...['endorsed candidate', 'endorsement', 'endorsee', 'nominee'],
  ],
  position: [
    ...['position', 'answer', 'yes no', 'support', 'support oppose', 'stance', 'vote', 'endorsed'],
    ...['recommendation'],
  ],
  rank: ['rank', 'ranking', 'choice rank', 'preference'],
  statement: ['statement', 'quote', 'comment', 'comments', 'rationale', 'explanation', 'blurb'],
  statement_es: ['statement es', 'quote es', 'statement spanish', 'spanish statement'],
  source_url: ['source url', 'url', 'source', 'link', 'source link', 'web page'],
  published_on: [
    ...['published on', 'date', 'published', 'publication date', 'date published', 'endorsement date'],
    ...['date of endorsement', 'date endorsed', 'endorsed on'],
  ],
  party: ['party', 'candidate party', 'party affiliation', 'political party'],
  match_grade: [],
  match_reason: [],
  proposed_endorser: [],
  proposed_contest: [],
  proposed_choice: [],
  decision: [],
} as const satisfies FieldNames<string>;

export type EndorsementField = keyof typeof ENDORSEMENT_FIELDS;

/** The columns that a review file adds to a table, in their order. A person fills the last one. */
export const REVIEW_FIELDS = [
  'match_grade',
  'match_reason',
  'proposed_endorser',
  'proposed_contest',
  'proposed_choice',
  'decision',
] as const satisfies EndorsementField[];

const { decision: _, ...USUAL_FIELDS } = ENDORSEMENT_FIELDS;
/** Without the other columns of a review, a decision is the position of an editorial board. */
const PLAIN_FIELDS = {
  ...USUAL_FIELDS,
  position: [...USUAL_FIELDS.position, 'decision'],
} as unknown as FieldNames<EndorsementField>;
const REVIEW_NAMES = REVIEW_FIELDS.filter((field) => field !== 'decision').map(foldName);

/** The fields of a table with this header, with the usual names of their columns. */
export const fieldsOf = (header: readonly string[]): FieldNames<EndorsementField> =>
  header.some((name) => REVIEW_NAMES.includes(foldName(name))) ? ENDORSEMENT_FIELDS : PLAIN_FIELDS;

/** The field that a column of this name usually holds in a table with this header; null if no name is known. */
export const usualFieldOf = (name: string, header: readonly string[]): EndorsementField | null =>
  namesOf(fieldsOf(header)).get(foldName(name)) ?? null;
