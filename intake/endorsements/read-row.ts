import { findUnpublished } from '../../domain/publication.ts';
import type { SubmittedPick } from '../../schemas/submission.ts';
import { checkSubmission } from '../../schemas/submission-files.ts';
import { normalizeAddress, normalizeLines, normalizeText } from '../../schemas/text.ts';
import type { ElectionText } from '../matching/match-election.ts';
import type { RowNames } from '../matching/row-names.ts';
import { foldText } from '../matching/words.ts';
import { hasFlags, isYesOrNo, readFlag, readRank } from '../tables/answers.ts';
import { isFormulaError } from '../tables/cells.ts';
import { type ColumnMap, type Columns, mapColumns } from '../tables/columns.ts';
import { lacksYear, readDate } from '../tables/dates.ts';
import { TableError } from '../tables/table-error.ts';
import { type EndorsementField, fieldsOf } from './fields.ts';
import { splitSlogan } from './slogans.ts';

/** Values for all rows, from options of the command. */
export type Constants = Partial<Record<'endorser' | 'election', string>>;

/** The columns of a table of endorsements, and the values that it does not need columns for. */
export interface EndorsementColumns extends Columns<EndorsementField> {
  constants: Constants;
  /** Whether an empty position of a row with a choice says that nothing was endorsed. Otherwise it says nothing. */
  answersChoices: boolean;
  /** The same of a row about a measure whose choice is an answer. */
  marksAnswers: boolean;
  /** Whether the positions are flags, 1 and 0. */
  flags: boolean;
  /** The positions of which a row has a rank, as `positionCellsOf` tells them. */
  ranked: ReadonlySet<string>;
}

/** A row's texts, as they are written. Empty texts are null. */
export interface EndorsementRow extends RowNames, ElectionText {
  endorser: string | null;
  rank: string | null;
  /** Whether other rows about the position have ranks, and this one does not. */
  lacksRank: boolean;
  statement: string | null;
  statement_es: string | null;
  source_url: string | null;
  published_on: string | null;
  /** A person's word about the proposals of a review file. */
  decision: string | null;
  proposed: { endorser: string | null; contest: string | null; choice: string | null };
}

/** @throws TableError if a necessary field has no column and no value, or has two of them */
export function readColumns(
  header: readonly string[],
  map: ColumnMap<EndorsementField>,
  constants: Constants,
): EndorsementColumns {
  const columns = mapColumns(header, fieldsOf(header), map);
  const has = (field: EndorsementField) => columns.places.has(field);
  for (const field of ['endorser', 'election'] as const) {
    const place = columns.places.get(field);
    if (place === undefined || constants[field] === undefined) continue;
    throw new TableError(
      `--${field} is given, and the column "${header[place]}" has the ${field} too: leave one of them out, the column ` +
        `with --map ${JSON.stringify(`${header[place]}=`)}.`,
      {
        problem: `The ${field} of all rows is chosen, and the column "${header[place]}" has the ${field} too.`,
      },
    );
  }
  const names = header.map((name) => `"${name}"`).join(', ');
  const missing = (what: string, remedy: string) =>
    new TableError(`The table has no column for ${what}: ${remedy}. Its columns are ${names}.`, {
      problem: `The table has no column for ${what}. Its columns are ${names}.`,
    });
  if (!has('endorser') && constants.endorser === undefined) {
    throw missing('the endorser', 'name it with --endorser, or name the column with --map "COLUMN=endorser"');
  }
  if (!has('choice') && !has('position')) {
    throw missing(
      'the choice',
      'name the column with --map "COLUMN=choice", or for answers about measures with --map "COLUMN=position"',
    );
  }
  if (!has('contest') && !has('choice'))
    throw missing('the contest', 'name the column with --map "COLUMN=contest"');
  if (constants.election === undefined && !has('election') && !has('election_date') && !has('state')) {
    throw missing(
      'the election',
      'name it with --election, as a slug or a date, or name the column with --map "COLUMN=election"',
    );
  }
  const flags = hasFlags(header[columns.places.get('position') ?? -1] ?? '');
  return { ...columns, constants, answersChoices: true, marksAnswers: true, flags, ranked: new Set() };
}

const isAddress = (source: string | null): boolean => source !== null && /^https?:\/\//i.test(source);

/** Completes an address that lacks its scheme, as people write it: `www.example.org`, `example.org/page`. */
const completeAddress = (source: string | null): string | null =>
  source?.replace(/^(?=www\.|[^/\s]+\/)(?:[a-z\d-]+\.)+[a-z]{2,}(?:\/\S*)?$/i, 'https://$&') ?? null;

/** The beginnings of the cells of a row that say which position of an endorser it is about, as one text. */
export const positionCellsOf = (cells: readonly string[], places: EndorsementColumns['places']): string =>
  JSON.stringify(
    POSITION_FIELDS.map((field) => foldText((cells[places.get(field) ?? -1] ?? '').slice(0, MAX_COMPARED))),
  );
const MAX_COMPARED = 200;
const POSITION_FIELDS = ['endorser', 'election', 'election_date', 'state', 'district', 'contest'] as const;

/** Reads the cells of a row. */
export function readRow(
  cells: readonly string[],
  { places, constants, answersChoices, marksAnswers, flags, ranked }: EndorsementColumns,
): EndorsementRow {
  const read = (field: EndorsementField, form: (text: string) => string) =>
    form(cells[places.get(field) ?? -1] ?? '') || null;
  const lines = (field: EndorsementField) => read(field, normalizeLines);
  const text = (field: EndorsementField) => read(field, normalizeText);
  const address = completeAddress(read('source_url', normalizeAddress));
  // The names of several people can be on a line each.
  const choice = lines('choice');
  const written = text('position');
  const position = flags && written !== null ? readFlag(written) : written;
  const isMarked = () => (isYesOrNo(choice) ? marksAnswers : answersChoices);
  const saysNothing = !places.has('position') || (position === null && choice !== null && !isMarked());
  return {
    endorser: constants.endorser ?? text('endorser'),
    election: constants.election ?? text('election'),
    date: text('election_date'),
    state: text('state'),
    district: text('district'),
    party: text('party'),
    ...splitSlogan({ contest: text('contest'), choice, position: saysNothing ? undefined : position }),
    rank: text('rank'),
    lacksRank: ranked.size > 0 && text('rank') === null && ranked.has(positionCellsOf(cells, places)),
    statement: lines('statement'),
    statement_es: lines('statement_es'),
    source_url: isAddress(address) ? address : text('source_url'),
    published_on: text('published_on'),
    decision: text('decision'),
    proposed: {
      endorser: text('proposed_endorser'),
      contest: text('proposed_contest'),
      choice: text('proposed_choice'),
    },
  };
}

/** The records that a row means. */
export interface Meant {
  endorser: string;
  contest: string;
  choice: string;
  /** The day of the election, YYYY-MM-DD. */
  electionDate: string;
  /** Whether its contest has ranks. */
  isRanked: boolean;
}

/** The problem of a row, as the end of a sentence that begins with the line. */
export interface RowFault {
  fault: string;
}

const NAMES = [
  'endorser',
  'election',
  'state',
  'district',
  'contest',
  'choice',
  'party',
  'position',
] as const;
/** The most characters of a name in a row. The names of a catalogue have at most 500. */
const MAX_NAME = 1_000;

/** Finds a name that is too long to be matched, because the time for it grows with the square of its length. */
export function findLongName(row: EndorsementRow): RowFault | null {
  const long = NAMES.find((field) => (row[field] ?? '').length > MAX_NAME);
  return long === undefined
    ? null
    : { fault: `has more than ${MAX_NAME.toLocaleString('en-US')} characters in the ${long}` };
}

/** Finds the error of a formula in a cell that is used. Nobody has meant it. */
export function findFormulaError(
  cells: readonly string[],
  { header, places }: { header: readonly string[]; places: EndorsementColumns['places'] },
): RowFault | null {
  const at = [...places.values()].find((place) => isFormulaError(cells[place] ?? ''));
  if (at === undefined) return null;
  const remedy = 'the result of a formula that fails: correct it in the spreadsheet, or empty the cell';
  return { fault: `has ${cells[at]?.trim()} in the column "${header[at]}", ${remedy}` };
}

/**
 * Makes the pick of a row. A source that is not an address is kept in `details`.
 *
 * @param now milliseconds since 1970
 * @param columnOf the name of a field's column in the person's table
 */
export function createPick(
  row: EndorsementRow,
  { endorser, contest, choice, electionDate, isRanked }: Meant,
  now: number,
  columnOf: (field: string) => string,
): SubmittedPick | RowFault {
  const rank = row.rank === null ? null : readRank(row.rank);
  if (row.rank !== null && rank === null) return { fault: `has the rank "${row.rank}"; it must be 1, 2, 3…` };
  // An export names its contests by their keys, and has the picks as they are.
  if (isRanked && rank === null && row.lacksRank && row.contest !== contest) {
    return {
      fault: 'has no rank, and other rows about the contest have one: give it one, or leave the row out',
    };
  }
  if (rank !== null && !isRanked) {
    return { fault: `has the rank ${rank}, and the contest ${contest} has no ranks: leave the cell empty` };
  }
  const date = row.published_on === null ? null : readDate(row.published_on, electionDate);
  if (row.published_on !== null && date === null) {
    const advice = lacksYear(row.published_on) ? ', with its year' : '';
    return {
      fault: `has the date "${row.published_on}"; it must be like 11/3/2026, Nov. 3, 2026 or 2026-11-03${advice}`,
    };
  }
  const hasAddress = isAddress(row.source_url);
  const pick: SubmittedPick = {
    ...{ choice, rank, published_on: date, statement: row.statement, statement_es: row.statement_es },
    source_url: hasAddress ? row.source_url : null,
    details: row.source_url === null || hasAddress ? null : JSON.stringify({ source: row.source_url }),
  };
  const checked = checkSubmission({ action: 'endorse', endorser, contest, picks: [pick] });
  const problems = checked.ok ? findUnpublished(checked.value, now) : checked.problems;
  if (problems.length > 0) {
    return {
      fault: problems
        .map(({ field, message }) => `${field === null ? 'has a field that' : columnOf(field)} ${message}`)
        .join('; '),
    };
  }
  return checked.ok ? (checked.value.picks[0] ?? pick) : pick;
}
