import type { ElectionType } from '../../schemas/vocabulary.ts';
import {
  AT_LARGE,
  type ContestWords,
  isOnlySeat,
  placeWordsOf,
  readContestWords,
  type StateWords,
  shortWordsOf,
  unitOf,
} from './contest-words.ts';
import { foldParty } from './parties.ts';
import { type PersonName, readPersonName } from './person-name.ts';
import { readTicket, type Ticket } from './tickets.ts';
import { foldText } from './words.ts';

/** An election as the matcher needs it. */
export interface ElectionEntry {
  slug: string;
  name: string;
  short_name: string | null;
  /** YYYY-MM-DD. */
  date: string;
  type: ElectionType;
  /** The state's code and name. */
  state: string;
  state_name: string;
}

export interface ChoiceEntry {
  key: string;
  label: string;
  measure_answer: 'yes' | 'no' | null;
  /** Tells which choices of a contest are one person; null for a choice that is not a person. */
  candidate: string | null;
  full_name: string | null;
  party: string | null;
  party_label: string | null;
  withdrawn: boolean;
}

export interface ContestEntry {
  /** Election slug, slash, contest slug. */
  key: string;
  title: string;
  short_title: string;
  kind: 'candidate' | 'measure' | 'retention';
  vote_method: string;
  measure_code: string | null;
  district: { ocd_id: string | null; name: string };
  choices: ChoiceEntry[];
}

/** A candidate, or a choice that is not a person, with all its lines of a contest. */
export interface Contender {
  names: readonly PersonName[];
  /** The people of its names that are tickets. */
  tickets: readonly Ticket[];
  /** The labels and names as they are written, folded. */
  texts: ReadonlySet<string>;
  parties: ReadonlySet<string>;
  lines: readonly ChoiceEntry[];
}

export interface IndexedContest extends ContestEntry {
  electionDate: string;
  /** The words of the title, of the short title, and of a measure by its code. */
  titles: readonly ContestWords[];
  /** All of them, those of the district, and the short words that may mean them. */
  allWords: ReadonlySet<string>;
  /** The words of the district's name, without its chamber. */
  placeWords: ReadonlySet<string>;
  /** The units that have a number or letter, such as `district`. */
  units: ReadonlySet<string>;
  party: string | null;
  contenders: readonly Contender[];
  /** The contenders by the joined words of their names. */
  byName: ReadonlyMap<string, readonly Contender[]>;
}

/** Whether Yes and No are the choices. */
export const isMeasure = ({ choices }: IndexedContest): boolean =>
  choices.some(({ measure_answer: answer }) => answer !== null);

/** An election's contests, prepared for matching. */
export interface ElectionIndex {
  election: ElectionEntry;
  state: StateWords;
  contests: readonly IndexedContest[];
  byKey: ReadonlyMap<string, IndexedContest>;
}

function createContender(lines: ChoiceEntry[]): Contender {
  const texts = new Set(
    lines.flatMap(({ label, full_name: name }) => (name === null ? [label] : [label, name])),
  );
  const parties = lines.flatMap((line) => [foldParty(line.party), foldParty(line.party_label)]);
  const isPerson = lines.some(({ candidate }) => candidate !== null);
  const names = isPerson ? [...texts] : [];
  return {
    names: names.map(readPersonName),
    tickets: names.map(readTicket).filter((ticket) => ticket !== null),
    texts: new Set([...texts].map(foldText)),
    parties: new Set(parties.filter((party) => party !== null)),
    lines,
  };
}

const stateWordsOf = (election: ElectionEntry): StateWords => ({
  name: foldText(election.state_name),
  code: election.state.toLowerCase(),
});

/** Prepares a contest of an election for matching. */
export function indexContest(contest: ContestEntry, election: ElectionEntry): IndexedContest {
  const state = stateWordsOf(election);
  const { title, short_title: shortTitle, measure_code: code, district, choices } = contest;
  const read = (text: string) => readContestWords(text, state);
  const titles = [read(title), read(shortTitle)];
  if (code !== null) titles.push(read(/^[\p{L}]+\s/u.test(code) ? code : `${title.split(/\s/)[0]} ${code}`));
  const lines = Map.groupBy(choices, ({ candidate, key }) => candidate ?? `\n${key}`);
  const contenders = [...lines.values()].map(createContender);
  const byName = new Map<string, Contender[]>();
  for (const contender of contenders) {
    for (const joined of new Set(contender.names.map((name) => name.joined)))
      byName.set(joined, [...(byName.get(joined) ?? []), contender]);
  }
  const place = read(district.name);
  const words = [...titles, place].flatMap((each) => [...each.words]);
  const allWords = new Set([...words, ...shortWordsOf(words)]);
  // The only seat of a state in the U.S. House is at large, whether its name says so or not.
  const atLarge = new Set(isOnlySeat(words) ? [AT_LARGE] : []);
  for (const word of atLarge) allWords.add(word);
  return {
    ...contest,
    electionDate: election.date,
    titles: titles.map((each) => ({ ...each, words: each.words.difference(atLarge) })),
    allWords,
    placeWords: placeWordsOf(place.words),
    units: new Set([...allWords].map(unitOf).filter((unit) => unit !== null)),
    party: titles.find((words) => words.party !== null)?.party ?? null,
    contenders,
    byName,
  };
}

/** Prepares an election for matching. */
export function indexElection(election: ElectionEntry, contests: readonly ContestEntry[]): ElectionIndex {
  return joinContests(
    election,
    contests.map((contest) => indexContest(contest, election)),
  );
}

/** An election of contests that are prepared already. */
export function joinContests(election: ElectionEntry, indexed: readonly IndexedContest[]): ElectionIndex {
  return {
    election,
    state: stateWordsOf(election),
    contests: indexed,
    byKey: new Map(indexed.map((contest) => [contest.key, contest])),
  };
}
