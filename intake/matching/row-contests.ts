import { isYesOrNo } from '../tables/answers.ts';
import { type ElectionIndex, type IndexedContest, isMeasure } from './catalogue-index.ts';
import { hasMeasureWord } from './contest-words.ts';
import type { ReadRow } from './judge-pairs.ts';
import { findContenders, mayHave } from './match-choice.ts';
import { type FittingContests, findContests } from './match-contest.ts';
import type { RowNames } from './row-names.ts';
import { isFullName } from './tickets.ts';

const MAX_KNOWN = 10_000;

export type FindContest = ReturnType<typeof createContestFinder>;

/** Finds contests, and remembers them for the rows that follow. @returns a function for `findRowContests` */
export function createContestFinder(index: ElectionIndex) {
  const known = new Map<string, FittingContests>();
  return (contest: string | null, { district, party }: RowNames): FittingContests => {
    const id = JSON.stringify([contest, district, party]);
    let found = known.get(id);
    if (found === undefined) {
      found = findContests(index, { contest, district, party });
      if (known.size >= MAX_KNOWN) known.clear();
      known.set(id, found);
    }
    return found;
  };
}

/** Finds the contests that a row means, or else proposes the only similar one with its choice. */
export function findRowContests(row: ReadRow, find: FindContest): FittingContests {
  const found = findMeant(row, find);
  const name = row.read(row.choice ?? '');
  if (!isFullName(name.person)) return found;
  const [only, ...others] = (found.similar ?? []).filter(
    (each) => mayHave(each, name) && findContenders(each, name, row.party).exact.length > 0,
  );
  if (only === undefined || others.length > 0) return found;
  return { ...found, close: new Map([[only, `it is called "${only.title}", and the choice is right`]]) };
}

/** The end of a measure's name that can be its number or letters: `Local C`, `51`. */
const CODE = /(?:^|[\s.])([0-9]{1,4}|[a-z]{1,2})$/i;

/** Whether a contest has a choice that a row names, or probably names. */
function hasChoice(contest: IndexedContest, { choice, party, read }: ReadRow): boolean {
  const { exact, close } = findContenders(contest, read(choice ?? ''), party);
  return exact.length + close.size > 0;
}

/**
 * Finds the contests that a row means. If it has an answer, its choice can be the name of a measure: this counts first if
 * it is exact, unless the column of contests names another measure, and last if it is close or only the code is the same.
 * Between these, the column of contests counts.
 */
function findMeant(row: ReadRow, find: FindContest): FittingContests {
  const { contest, choice, position } = row;
  if (choice === null || !isYesOrNo(position)) {
    const own = find(contest, row);
    return isYesOrNo(choice ?? position) ? preferMeasures(own, row, find) : own;
  }
  const own = find(contest, row);
  const exact = findMeasuresNamed(row, choice, find);
  if (exact.length > 0) {
    const isOther =
      own.exact.length > 0 && own.exact.every((each) => isMeasure(each) && !exact.includes(each));
    if (!isOther) return { exact, close: new Map(), nearest: [] };
    return { exact: [], close: new Map(asOneOfTwo([...own.exact, ...exact])), nearest: [] };
  }
  // Letters after the name of a candidate are not a measure: `Ann Lee, D`, `Ann Lee II`.
  if (!own.exact.every(isMeasure)) return own;
  const offices = [...own.close].filter(([each]) => !isMeasure(each));
  if (offices.some(([each]) => hasChoice(each, row))) return { ...own, close: new Map(offices) };
  const titled = hasMeasureWord(choice) ? find(choice, row).close : new Map<IndexedContest, string>();
  if (own.exact.some((each) => titled.has(each))) return own;
  const named = [...titled].filter(([each]) => isMeasure(each));
  const close =
    named.length > 0 ? new Map([...asOneOfTwo(own.exact), ...named]) : findMeasuresByCode(row, choice, find);
  return close.size > 0 ? { exact: [], close, nearest: [] } : own;
}

const asOneOfTwo = (contests: readonly IndexedContest[]) =>
  contests.map((each) => [each, 'the row names two measures'] as const);

/** The name of a measure by its number or letters, without the word measure: `51`, `B - City College`. */
const CODE_FIRST = /^(?:[0-9]{1,4}[a-z]?|[a-z]{1,2})(?:\s*[-–—:.)].*)?$/i;

/** The contests of a row that has nothing but an answer: a measure, even if only its number or letters are given. */
function preferMeasures(own: FittingContests, row: ReadRow, find: FindContest): FittingContests {
  const text = row.contest ?? '';
  if (!CODE_FIRST.test(text) || [...own.exact, ...own.close.keys()].some(isMeasure)) return own;
  const { exact, close } = find(`Proposition ${text}`, row);
  const measures = new Map(
    [...exact.map((each) => [each, `the measure is called "${each.short_title}"`] as const), ...close].filter(
      ([each]) => isMeasure(each),
    ),
  );
  return measures.size > 0 ? { exact: [], close: measures, nearest: [] } : own;
}

/** The measures that a choice names, alone or after the text in the column of contests. */
function findMeasuresNamed(row: ReadRow, choice: string, find: FindContest): IndexedContest[] {
  const named = (text: string) => find(text, row).exact.filter(isMeasure);
  const alone = named(choice);
  return alone.length > 0 ? alone : named(`${row.contest ?? ''} ${choice}`);
}

/** The measures with the number or letters at the end of a choice, and the reason why each is only close. */
function findMeasuresByCode(row: ReadRow, choice: string, find: FindContest): Map<IndexedContest, string> {
  const [, code] = CODE.exec(choice) ?? [];
  if (code === undefined) return new Map();
  const { exact, close } = find(`Proposition ${code}`, row);
  const measures = [...exact, ...close.keys()].filter(isMeasure);
  return new Map(measures.map((each) => [each, `only "${code}" is the same`]));
}
