import type { Constants, EndorsementRow, Meant } from '../../intake/endorsements/read-row.ts';
import type { ChoiceEntry, IndexedContest } from '../../intake/matching/catalogue-index.ts';
import { stateInDistrict } from '../../intake/matching/contest-words.ts';
import { type Match, worstOf } from '../../intake/matching/grade.ts';
import type { ElectionMatch } from '../../intake/matching/match-election.ts';
import type { EndorserEntry } from '../../intake/matching/match-endorser.ts';
import { matchRow } from '../../intake/matching/match-row.ts';
import { chooseMatch, type RowMatch } from '../../intake/matching/row-match.ts';
import { choiceTextOf, contestTextOf, rowTextOf } from '../../intake/matching/row-names.ts';
import { splitNames } from '../../intake/matching/tickets.ts';
import { foldText } from '../../intake/matching/words.ts';
import { TableError } from '../../intake/tables/table-error.ts';
import { type Alias, MAX_ALIAS_TEXT } from '../../schemas/alias-files.ts';
import type { Sources } from './sources.ts';

/** The meaning of a row's names, as far as it is known. */
export interface MatchedRow extends RowMatch {
  endorser: EndorserEntry | null;
  /** The slug of the election; null if it is not exact. */
  election: string | null;
  /** The names that are not exact. */
  unsure: RowMatch['unsure'] & { endorser: boolean };
}

/** The most elections of one day and state in which a row is looked for. */
const MAX_ELECTIONS = 5;

/** A row, and the meaning of its names. */
export interface KnownRow {
  row: EndorsementRow;
  matched: MatchedRow;
}

/** The most names of a cell that are looked for one by one. */
const MAX_NAMES = 50;
/** The number before a name of a list: `1. Ann Lee; 2. Bo Diaz`, `#1 Ann Lee`. */
const NUMBERED = /^\s*(?:#\s?(?<hash>[1-9][0-9]?)[.):]?|(?<plain>[1-9][0-9]?)[.):])\s*(?<name>.+)$/s;

/**
 * Matches a row whose cell can name several choices. They are looked for one by one, and count only if all are exact and
 * of one contest. If it has ranks, all must have their numbers, because the order in the cell may mean nothing.
 *
 * @returns a row for each choice, or else the whole row
 */
export async function matchChoices(
  row: EndorsementRow,
  sources: Sources,
): Promise<[KnownRow, ...KnownRow[]]> {
  const whole = { row, matched: await matchNames(row, sources) };
  const names = whole.matched.grade === 'ambiguous' ? (splitNames(row.choice ?? '') ?? []) : [];
  if (names.length > MAX_NAMES || row.decision !== null) return [whole];
  const rows: KnownRow[] = [];
  for (const text of names) {
    const { hash, plain, name = text } = NUMBERED.exec(text)?.groups ?? {};
    const choice = name.trim();
    const matched = await matchNames({ ...row, choice }, sources);
    const rank = isRanked(matched.contest) ? (hash ?? plain ?? null) : row.rank;
    rows.push({ row: { ...row, choice, rank }, matched });
  }
  return areSure(rows) ? rows : [whole];
}

const isRanked = (contest: IndexedContest | null): boolean => contest?.vote_method === 'ranked_choice';

/** Whether rows name different choices of one contest exactly, with their ranks if it has ranks. */
function areSure(rows: readonly KnownRow[]): rows is [KnownRow, ...KnownRow[]] {
  const [first] = rows;
  const areExact = rows.every(
    ({ matched: { grade, contest } }) => grade === 'exact' && contest === first?.matched.contest,
  );
  const countOf = (values: unknown[]) => new Set(values).size;
  const ranks = rows.flatMap(({ row }) => row.rank ?? []);
  return (
    first !== undefined &&
    areExact &&
    countOf(rows.map(({ matched }) => matched.choice)) === rows.length &&
    (!isRanked(first.matched.contest) || countOf(ranks) === rows.length)
  );
}

/** Matches the names of a row. Its grade is the worst of its parts. */
export async function matchNames(row: EndorsementRow, sources: Sources): Promise<MatchedRow> {
  const { election, names, candidates } = await matchInElections(row, sources);
  const endorser = matchEndorserOf(row, sources, { hasKeys: names?.contest?.key === row.contest });
  return {
    grade: worstOf([endorser.grade, election.grade, names?.grade ?? 'exact']),
    reasons: [endorser.reason, election.reason, ...(names?.reasons ?? [])].filter(
      (reason) => reason !== null,
    ),
    endorser: endorser.value,
    election: election.grade === 'exact' ? (election.value?.slug ?? null) : null,
    contest: names?.contest ?? null,
    choice: names?.choice ?? null,
    unrepresentable: names?.unrepresentable ?? null,
    unsure: {
      endorser: endorser.grade !== 'exact',
      contest: names?.unsure.contest ?? true,
      choice: names?.unsure.choice ?? true,
    },
    fits: names?.fits ?? 0,
    candidates,
  };
}

/** Matches the contest and choice of a row in its election, or in each of several that fit. */
async function matchInElections(row: EndorsementRow, sources: Sources) {
  const election = matchElectionOf(row, sources);
  const elections = election.value ? [election.value] : election.candidates;
  const matches: RowMatch[] = [];
  for (const each of elections.length > MAX_ELECTIONS ? [] : elections) {
    const { index, find } = await sources.loadElection(each);
    matches.push(matchRow(index, row, sources.findAlias, find));
  }
  const candidates = matches.flatMap((match) => match.candidates);
  if (election.value) return { election, names: matches[0] ?? null, candidates };
  const names = chooseMatch(matches);
  if (names === null) return { election, names, candidates };
  const { doubt } = election;
  const chosen = {
    grade: doubt === null ? ('exact' as const) : ('close' as const),
    value: null,
    reason: doubt,
  };
  return { election: chosen, names, candidates: names.candidates };
}

/** Matches the election of a row. If several fit, the state in the name of a district counts: `CA-12`. */
function matchElectionOf(row: EndorsementRow, sources: Sources): ElectionMatch {
  const found = sources.matchElection(row);
  if (found.candidates.length === 0 || row.state !== null) return found;
  const state = stateInDistrict(row.contest ?? '') ?? stateInDistrict(row.district ?? '');
  const inState = state === null ? null : sources.matchElection({ ...row, state });
  return inState === null || inState.grade === 'none' ? found : inState;
}

/** @throws TableError if the catalogue lacks the endorser or the election of all rows */
export function refuseUnknown({ endorser, election }: Constants, sources: Sources): void {
  const refuse = (name: string, text: string, { grade, reason }: Match<unknown>) => {
    if (grade === 'none') throw new TableError(`--${name} is "${text}": ${reason}.`);
  };
  if (endorser !== undefined)
    refuse('endorser', endorser, matchEndorserOf({ endorser }, sources, { hasKeys: false }));
  if (election !== undefined)
    refuse('election', election, sources.matchElection({ election, date: null, state: null }));
}

/** @param hasKeys whether the row names its contest by the key, as exports do. A slug is then no name. */
function matchEndorserOf(
  { endorser }: Pick<EndorsementRow, 'endorser'>,
  sources: Sources,
  { hasKeys }: { hasKeys: boolean },
): Match<EndorserEntry> {
  if (endorser === null) return { grade: 'none', value: null, reason: 'no endorser is given' };
  const named = hasKeys ? sources.endorsers.bySlug.get(endorser) : undefined;
  if (named) return { grade: 'exact', value: named, reason: null };
  const decided = sources.findAlias('endorser', '', foldText(endorser));
  const known = decided === null ? undefined : sources.endorsers.bySlug.get(decided);
  if (known) return { grade: 'exact', value: known, reason: 'endorser: decided before' };
  return sources.matchEndorser(endorser);
}

/** The records of a row whose names are known; null if one is not. */
export function meantBy({
  endorser,
  contest,
  choice,
}: Pick<MatchedRow, 'endorser' | 'contest' | 'choice'>): Meant | null {
  if (endorser === null || contest === null || choice === null) return null;
  return {
    endorser: endorser.slug,
    contest: contest.key,
    choice: choice.key,
    electionDate: contest.electionDate,
    isRanked: isRanked(contest),
  };
}

/** A decision that a person wrote into a review file. */
export type Decided =
  | { left: true }
  | { left: false; endorser: EndorserEntry; contest: IndexedContest; choice: ChoiceEntry }
  | { fault: string };

/** Reads the decision about a row: yes to what is proposed, no, or a key. It cannot contradict the names that are exact. */
export async function readDecision(
  row: EndorsementRow,
  matched: MatchedRow,
  sources: Sources,
): Promise<Decided> {
  const { decision, proposed } = row;
  const word = foldText(decision ?? '');
  if (word === 'no' || word === 'n') return { left: true };
  const isYes = word === 'yes' || word === 'y';
  const given = decision ?? '';
  const endorserKey = proposed.endorser ?? matched.endorser?.slug ?? '';
  const decidedEndorser = isYes || !matched.unsure.endorser ? undefined : sources.endorsers.bySlug.get(given);
  const endorser = decidedEndorser ?? sources.endorsers.bySlug.get(endorserKey);
  if (!endorser) {
    return {
      fault: `has the decision "${given}", and the endorser is not known: write its slug into "proposed_endorser"`,
    };
  }
  const contestKey = proposed.contest ?? matched.contest?.key ?? '';
  const choiceKey = proposed.choice ?? matched.choice?.key ?? '';
  const [election = '', slug = '', ...rest] = given.split('/');
  const tries: (readonly [string, string])[] =
    isYes || decidedEndorser
      ? [[contestKey, choiceKey]]
      : [
          [contestKey, given],
          [`${election}/${slug}`, rest.join('/')],
          [given, choiceKey],
        ];
  for (const [key, choice] of tries) {
    const contest = await sources.findContest(key);
    const found = contest?.choices.find((each) => each.key === choice);
    if (contest && found) {
      const meant = { endorser, contest, choice: found };
      const fault = findContradiction(matched, meant, isYes || decidedEndorser ? '' : given);
      return fault === null ? { left: false, ...meant } : { fault };
    }
  }
  return {
    fault: isYes
      ? `has the decision "${given}", and nothing is proposed that exists: write the key of a choice, or CONTEST/CHOICE`
      : `has the decision "${given}", which is neither yes nor no nor a key: write the key of a choice of the proposed ` +
        'contest, or CONTEST/CHOICE',
  };
}

/**
 * Finds what the names of a row say exactly, and its decision does not: somebody has corrected them since, or sends them
 * as another endorser's or of another election.
 *
 * @param key the part of the decision without its proposal: a choice, a contest or both
 */
function findContradiction(
  { unsure, ...said }: MatchedRow,
  { endorser, contest, choice }: { endorser: EndorserEntry; contest: IndexedContest; choice: ChoiceEntry },
  key: string,
): string | null {
  const differ = (names: string, decided: string) =>
    `names ${names}, and is decided to mean ${decided}: correct one of them, or empty the decision`;
  if (!unsure.endorser && said.endorser && said.endorser.slug !== endorser.slug) {
    return differ(`the endorser ${said.endorser.slug}`, endorser.slug);
  }
  if (said.election !== null && !contest.key.startsWith(`${said.election}/`)) {
    return differ(`the election ${said.election}`, contest.key);
  }
  const isSame = said.contest?.key === contest.key;
  if (said.contest && !isSame && !unsure.contest && !key.startsWith(contest.key)) {
    return differ(said.contest.key, contest.key);
  }
  if (!isSame || unsure.choice || said.choice === null || key.endsWith(choice.key)) return null;
  return said.choice.key === choice.key ? null : differ(said.choice.key, choice.key);
}

/** The meaning of a row's names by a decision, to remember it. */
export function createAliases(
  row: EndorsementRow,
  { unsure, fits }: MatchedRow,
  { endorser, contest, choice }: Exclude<Decided, { fault: string } | { left: true }>,
): Alias[] {
  const election = contest.key.split('/', 1)[0] ?? '';
  const aliases: Alias[] = [];
  const add = (kind: Alias['kind'], scope: string, text: string, key: string) => {
    if (text !== '' && text.length <= MAX_ALIAS_TEXT) aliases.push({ kind, scope, text, key });
  };
  if (unsure.endorser) add('endorser', '', foldText(row.endorser ?? ''), endorser.slug);
  const isAnswer = choice.measure_answer !== null;
  // The name of an office of many districts must not come to mean one of them.
  if (fits > 1 && (unsure.contest || unsure.choice) && !isAnswer) {
    add('choice', election, rowTextOf(row), `${contest.key}/${choice.key}`);
    return aliases;
  }
  if (unsure.contest) add('contest', election, contestTextOf(row), contest.key);
  if (unsure.choice && !isAnswer) add('choice', contest.key, choiceTextOf(row), choice.key);
  return aliases;
}
