import type { FieldNames } from '../tables/columns.ts';

/** The record that a column of a catalogue table describes. */
type Subject = 'election' | 'contest' | 'choice';
/** How a cell is written: text, a whole number, yes or nothing, or JSON. */
export type CellForm = 'text' | 'number' | 'flag' | 'json';

/** A column of a catalogue table. */
interface TableField {
  of: Subject;
  /** The field of the record, with dots within objects; null if the value goes elsewhere. */
  path: string | null;
  form: CellForm;
  /** Further names of the column, folded. */
  names: readonly string[];
}

const field = (of: Subject, path: string | null, form: CellForm, ...names: string[]): TableField => ({
  of,
  path,
  form,
  names,
});

/** The columns of a catalogue table, in the order in which they are exported. */
export const CATALOGUE_FIELDS = {
  election: field('election', 'slug', 'text', 'election slug'),
  state: field('election', 'state', 'text', 'state code'),
  election_date: field('election', 'date', 'text', 'date', 'date of election'),
  election_type: field('election', 'type', 'text', 'type of election', 'type'),
  election_name: field('election', 'name', 'text'),
  election_name_es: field('election', 'name_es', 'text', 'election name spanish'),
  election_short_name: field('election', 'short_name', 'text'),
  election_short_name_es: field('election', 'short_name_es', 'text'),
  primary_system: field('election', 'primary_system', 'text'),
  election_url: field('election', 'info_url', 'text', 'election info url'),
  election_details: field('election', 'details', 'json'),
  election_source: field('election', 'source', 'json'),
  contest_key: field('contest', 'slug', 'text', 'contest slug'),
  contest: field(
    'contest',
    'title',
    'text',
    ...['contest title', 'contest name', 'office', 'office name', 'office title', 'race', 'race name'],
    ...['office sought'],
  ),
  contest_es: field(
    'contest',
    'title_es',
    'text',
    ...['contest title es', 'contest spanish', 'office spanish', 'office es', 'title es', 'measure title es'],
    ...['measure title spanish'],
  ),
  measure: field(
    'contest',
    null,
    'text',
    ...['measure title', 'measure name', 'ballot measure', 'proposition', 'question'],
  ),
  short_title: field('contest', 'short_title', 'text', 'contest short title'),
  short_title_es: field('contest', 'short_title_es', 'text'),
  description: field(
    'contest',
    'description',
    'text',
    ...['measure text', 'question text', 'ballot question', 'text', 'summary'],
  ),
  description_es: field(
    'contest',
    'description_es',
    'text',
    ...['measure text es', 'measure text spanish', 'text es', 'question text es'],
  ),
  kind: field('contest', 'kind', 'text', 'contest kind', 'contest type'),
  vote_method: field('contest', 'vote_method', 'text', 'voting method', 'method'),
  seats: field(
    'contest',
    'votes_allowed',
    'number',
    ...['votes allowed', 'vote for', 'number elected', 'number of seats', 'number to elect', 'to elect'],
  ),
  ranks: field('contest', 'ranks_allowed', 'number', 'ranks allowed'),
  measure_code: field('contest', 'measure_code', 'text', 'measure letter', 'measure number', 'letter'),
  ballot_order: field('contest', 'ballot_order', 'number', 'contest order'),
  district: field('contest', 'district.name', 'text', ...['district name', 'jurisdiction', 'area']),
  district_es: field('contest', 'district.name_es', 'text', 'district name es', 'district spanish'),
  district_ocd_id: field(
    'contest',
    'district.ocd_id',
    'text',
    ...['ocd id', 'ocdid', 'ocd division id', 'division id'],
  ),
  level: field('contest', 'district.level', 'text', 'office level', 'level of government'),
  district_type: field('contest', 'district.type', 'text'),
  district_state: field('contest', 'district.state', 'text'),
  primary_party: field('contest', null, 'text', 'ballot party', 'party primary', 'party of primary'),
  contest_url: field('contest', 'source_url', 'text', 'source url', 'contest source url'),
  contest_details: field('contest', 'details', 'json'),
  contest_source: field('contest', 'source', 'json'),
  choice_key: field('choice', 'key', 'text'),
  choice: field(
    'choice',
    'label',
    'text',
    ...['choice label', 'choice name', 'name on ballot', 'ballot name', 'answer', 'selection'],
  ),
  choice_es: field('choice', 'label_es', 'text', 'choice spanish', 'answer spanish', 'choice label es'),
  measure_answer: field('choice', 'measure_answer', 'text'),
  candidate: field(
    'choice',
    'candidate.full_name',
    'text',
    ...['candidate name', 'name of candidate', 'full name', 'name'],
  ),
  candidate_key: field('choice', 'candidate.key', 'text', 'candidate id'),
  party: field(
    'choice',
    'party',
    'text',
    ...['candidate party', 'party affiliation', 'party preference', 'political party', 'party name'],
  ),
  party_label: field('choice', 'party_label', 'text', 'party on ballot'),
  party_label_es: field('choice', 'party_label_es', 'text', 'party spanish', 'party es'),
  option: field('choice', 'option', 'text'),
  withdrawn: field('choice', 'withdrawn', 'flag', ...['withdrew', 'status', 'candidate status']),
  incumbent: field('choice', null, 'flag', 'is incumbent'),
  ballot_designation: field('choice', 'ballot_designation', 'text', 'designation', 'occupation'),
  ballot_designation_es: field(
    'choice',
    'ballot_designation_es',
    'text',
    'designation es',
    'occupation spanish',
  ),
  choice_details: field('choice', 'details', 'json'),
} as const satisfies Record<string, TableField>;

export type CatalogueField = keyof typeof CATALOGUE_FIELDS;
export const FIELD_NAMES = Object.keys(CATALOGUE_FIELDS) as CatalogueField[];

/** The folded names of the columns: the field's own, and the usual ones. */
export const COLUMN_NAMES = Object.fromEntries(
  FIELD_NAMES.map((name) => [name, [name.replaceAll('_', ' '), ...CATALOGUE_FIELDS[name].names]]),
) as unknown as FieldNames<CatalogueField>;

/** The fields of a record that an export writes, by the record. */
export const fieldsOf = (of: Subject): CatalogueField[] =>
  FIELD_NAMES.filter((name) => CATALOGUE_FIELDS[name].of === of);
