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

const field = (
  of: Subject,
  path: string | null,
  names: readonly string[] = [],
  form: CellForm = 'text',
): TableField => ({ of, path, form, names });

/** The columns of a catalogue table, in the order in which they are exported. */
export const CATALOGUE_FIELDS = {
  election: field('election', 'slug', ['election slug']),
  state: field('election', 'state', ['state code']),
  election_date: field('election', 'date', ['date', 'date of election']),
  election_type: field('election', 'type', ['type of election', 'type']),
  election_name: field('election', 'name'),
  election_name_es: field('election', 'name_es', ['election name spanish']),
  election_short_name: field('election', 'short_name'),
  election_short_name_es: field('election', 'short_name_es'),
  primary_system: field('election', 'primary_system'),
  election_url: field('election', 'info_url', ['election info url']),
  election_details: field('election', 'details', [], 'json'),
  election_source: field('election', 'source', [], 'json'),
  contest_key: field('contest', 'slug', ['contest slug']),
  contest: field('contest', 'title', [
    ...['contest title', 'contest name', 'office', 'office name', 'office title', 'race', 'race name'],
    ...['office sought'],
  ]),
  contest_es: field('contest', 'title_es', [
    ...['contest title es', 'contest spanish', 'office spanish', 'office es', 'title es'],
    ...['measure title es', 'measure title spanish'],
  ]),
  measure: field('contest', null, [
    ...['measure title', 'measure name', 'ballot measure', 'proposition', 'question'],
  ]),
  short_title: field('contest', 'short_title', ['contest short title']),
  short_title_es: field('contest', 'short_title_es'),
  description: field('contest', 'description', [
    ...['measure text', 'question text', 'ballot question', 'text', 'summary'],
  ]),
  description_es: field('contest', 'description_es', [
    ...['measure text es', 'measure text spanish', 'text es', 'question text es'],
  ]),
  kind: field('contest', 'kind', ['contest kind', 'contest type']),
  vote_method: field('contest', 'vote_method', ['voting method', 'method']),
  seats: field(
    'contest',
    'votes_allowed',
    [...['votes allowed', 'vote for', 'number elected', 'number of seats', 'number to elect', 'to elect']],
    'number',
  ),
  ranks: field('contest', 'ranks_allowed', ['ranks allowed'], 'number'),
  measure_code: field('contest', 'measure_code', ['measure letter', 'measure number', 'letter']),
  ballot_order: field('contest', 'ballot_order', ['contest order'], 'number'),
  district: field('contest', 'district.name', ['district name', 'jurisdiction', 'area']),
  district_es: field('contest', 'district.name_es', ['district name es', 'district spanish']),
  district_ocd_id: field('contest', 'district.ocd_id', ['ocd id', 'ocdid', 'ocd division id', 'division id']),
  level: field('contest', 'district.level', ['office level', 'level of government']),
  district_type: field('contest', 'district.type'),
  district_state: field('contest', 'district.state'),
  primary_party: field('contest', null, ['ballot party', 'party primary', 'party of primary']),
  unexpired: field('contest', null, ['is unexpired', 'unexpired term', 'short term', 'partial term'], 'flag'),
  contest_url: field('contest', 'source_url', ['source url', 'contest source url']),
  contest_details: field('contest', 'details', [], 'json'),
  contest_source: field('contest', 'source', [], 'json'),
  choice_key: field('choice', 'key'),
  choice: field('choice', 'label', [
    ...['choice label', 'choice name', 'name on ballot', 'ballot name', 'answer', 'selection'],
  ]),
  choice_es: field('choice', 'label_es', ['choice spanish', 'answer spanish', 'choice label es']),
  measure_answer: field('choice', 'measure_answer'),
  candidate: field('choice', 'candidate.full_name', [
    ...['candidate name', 'name of candidate', 'full name', 'name'],
  ]),
  candidate_key: field('choice', 'candidate.key', ['candidate id']),
  party: field('choice', 'party', [
    ...['candidate party', 'party affiliation', 'party preference', 'political party', 'party name'],
    ...['party line', 'ballot line'],
  ]),
  party_label: field('choice', 'party_label', ['party on ballot']),
  party_label_es: field('choice', 'party_label_es', ['party spanish', 'party es']),
  option: field('choice', 'option'),
  withdrawn: field('choice', 'withdrawn', ['withdrew', 'status', 'candidate status'], 'flag'),
  incumbent: field('choice', null, ['is incumbent'], 'flag'),
  ballot_designation: field('choice', 'ballot_designation', ['designation', 'occupation']),
  ballot_designation_es: field('choice', 'ballot_designation_es', ['designation es', 'occupation spanish']),
  choice_details: field('choice', 'details', [], 'json'),
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
