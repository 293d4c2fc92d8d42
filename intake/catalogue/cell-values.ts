import { parseUnchanged } from '../../schemas/catalogue/changed-numbers.ts';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import { showValue } from '../../schemas/problems.ts';
import type { ContestKind, Level, VoteMethod } from '../../schemas/vocabulary.ts';
import { foldText } from '../matching/words.ts';
import { isFormulaError } from '../tables/cells.ts';
import { lacksYear, readDate, readDayFirst } from '../tables/dates.ts';
import { readElectionType } from './election-types.ts';
import { readState } from './read-state.ts';
import { CATALOGUE_FIELDS, type CatalogueField, type CellForm } from './table-fields.ts';

/** The value of a cell, or the end of a sentence that begins with its column. */
export type CellValue = { value: unknown } | { fault: string };

const words = <T extends string>(lists: Readonly<Record<T, string>>): ReadonlyMap<string, T> =>
  new Map(
    Object.entries<string>(lists).flatMap(([word, others]) =>
      [word.replaceAll('_', ' '), ...others.split('|')].map((other) => [other, word as T] as const),
    ),
  );

/** The words of people for the closed sets of the catalogue. */
const LEVEL_WORDS = words<Level>({
  federal: 'national|us|congressional',
  state: 'statewide|legislative|state legislative',
  county: 'countywide|parish|borough',
  city: 'municipal|town|township|village|citywide',
  school: 'school district|school board',
  special: 'special district|special purpose district',
});
const KIND_WORDS = words<ContestKind>({
  candidate: 'candidates|office|race',
  measure: 'ballot measure|proposition|question|referendum|initiative|amendment|issue',
  retention: 'judicial retention|retain',
});
const METHOD_WORDS = words<VoteMethod>({
  plurality: 'single|vote for one|choose one|first past the post|majority|1 of m',
  multi_seat: 'multi|multiple|at large|vote for several|n of m|block',
  ranked_choice: 'rcv|ranked|irv|instant runoff|ranked choice voting',
  approval: 'approval voting',
  yes_no: 'yes or no|question|measure',
});

const TRUE = /^(yes|y|true|t|1|x|sí|si)$/i;
/** Words that say yes in one column alone: a column "Status" can say that a candidate is the incumbent. */
const TRUE_OF: Partial<Record<CatalogueField, RegExp>> = {
  withdrawn: /^(withdrawn|withdrew|disqualified|removed|rejected|deceased|died)$/i,
  incumbent: /^incumbent$/i,
  unexpired: /^(un-?expired|short|partial)( term)?$/i,
};
const FALSE =
  /^(no|n|false|f|0|active|filed|qualified|certified|running|on ballot|on the ballot|write[- ]?in)$/i;

function readValue(text: string, field: CatalogueField): CellValue {
  const form: CellForm = CATALOGUE_FIELDS[field].form;
  if (form === 'number') {
    const digits = text.replaceAll(',', '').replace(/\.0+$/, '');
    return /^[0-9]{1,10}$/.test(digits)
      ? { value: Number(digits) }
      : { fault: `must be a whole number from 1, is ${showValue(text)}` };
  }
  if (form === 'flag') {
    if (TRUE.test(text) || TRUE_OF[field]?.test(text)) return { value: true };
    return FALSE.test(text) ? { value: false } : { fault: `must be yes or no, is ${showValue(text)}` };
  }
  if (form === 'json') return readJson(text);
  return { value: text };
}

function readJson(text: string): CellValue {
  try {
    const value = parseUnchanged(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { value };
  } catch {
    // The fault is the same.
  }
  return { fault: `must be a JSON object, is ${showValue(text)}` };
}

/** A word of a closed set, or the text itself, whose check fails later with the words that are right. */
const wordOf = (known: ReadonlyMap<string, string>) => (text: string) => known.get(foldText(text)) ?? text;

/** How the words of people become those of the catalogue, by field. */
const READERS: Partial<Record<CatalogueField, (text: string) => string>> = {
  state: readState,
  district_state: (text) => text.toUpperCase(),
  election_type: (text) => readElectionType(text) ?? text,
  kind: wordOf(KIND_WORDS),
  level: wordOf(LEVEL_WORDS),
  vote_method: wordOf(METHOD_WORDS),
};

/** Reads a cell that is not blank. */
export function readCellOf(field: CatalogueField, text: string): CellValue {
  if (isFormulaError(text))
    return { fault: `must not be the result of a formula that fails, is ${showValue(text)}` };
  if (field === 'election_date') return readDay(text);
  const reader = READERS[field];
  return reader ? { value: reader(text) } : readValue(text, field);
}

function readDay(text: string): CellValue {
  const day = isCalendarDate(text) ? text : readDate(text);
  if (day !== null) return { value: day };
  const dayFirst = readDayFirst(text);
  if (dayFirst !== null)
    return { fault: `must have its month first: write ${dayFirst}, is ${showValue(text)}` };
  const advice = lacksYear(text) ? ', with its year' : '';
  return { fault: `must be a real date such as 11/3/2026 or 2026-11-03${advice}, is ${showValue(text)}` };
}
