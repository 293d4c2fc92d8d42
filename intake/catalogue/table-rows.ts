import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import { CATALOGUE_FIELDS, type CatalogueField, FIELD_NAMES, fieldsOf } from './table-fields.ts';

type Json = Record<string, unknown>;
type Cells = Map<CatalogueField, string>;

/** The district of the whole nation in the column of the district's state; blank is the election's state. */
const NATION = 'US';

/** The header of an exported table. */
export const TABLE_HEADER: readonly string[] = FIELD_NAMES.filter(
  (name) => CATALOGUE_FIELDS[name].path !== null,
);

/** Writes an election with its contests as rows of a table. The fields of a record are written once, in its first row. */
export class TableRows {
  readonly #election: ElectionRecord;
  #isFirst = true;

  constructor(election: ElectionRecord) {
    this.#election = election;
  }

  /** The rows of a contest, one for each choice, and one if it has none. */
  ofContest(contest: ContestRecord): string[][] {
    const choices = contest.choices.length > 0 ? contest.choices : [null];
    return choices.map((choice, index) => {
      const cells: Cells = index === 0 ? contestCells(contest) : new Map([['contest_key', contest.slug]]);
      if (choice) for (const [name, text] of choiceCells(choice)) cells.set(name, text);
      return this.#row(cells);
    });
  }

  /** The row of an election without contests; none if rows of contests have been written. */
  ofElection(): string[][] {
    return this.#isFirst ? [this.#row(new Map())] : [];
  }

  #row(cells: Cells): string[] {
    const election: Cells = this.#isFirst
      ? cellsOf('election', this.#election as unknown as Json)
      : new Map([['election', this.#election.slug]]);
    this.#isFirst = false;
    return TABLE_HEADER.map((name) => {
      const field = name as CatalogueField;
      return cells.get(field) ?? election.get(field) ?? '';
    });
  }
}

function contestCells(contest: ContestRecord): Cells {
  const cells = cellsOf('contest', contest as unknown as Json);
  if ((contest.district.state ?? null) === null) cells.set('district_state', NATION);
  return cells;
}

/** A choice that is labelled with its candidate's name needs no label. */
function choiceCells(choice: ContestRecord['choices'][number]): Cells {
  const cells = cellsOf('choice', choice as unknown as Json);
  if (choice.candidate && choice.label === choice.candidate.full_name) cells.delete('choice');
  return cells;
}

function cellsOf(of: 'election' | 'contest' | 'choice', record: Json): Cells {
  const cells: Cells = new Map();
  for (const name of fieldsOf(of)) {
    const { path, form } = CATALOGUE_FIELDS[name];
    if (path === null) continue;
    const [outer = '', inner] = path.split('.');
    const held = record[outer];
    const value = inner === undefined ? held : (held as Json | null | undefined)?.[inner];
    if (value === null || value === undefined || value === false) continue;
    if (form !== 'json') cells.set(name, form === 'flag' ? 'yes' : String(value));
    else if (Object.keys(value).length > 0) cells.set(name, JSON.stringify(value));
  }
  return cells;
}
