import { isDoubted } from '../tables/answers.ts';
import type { ChoiceEntry, Contender, IndexedContest } from './catalogue-index.ts';
import { listSome, type Match } from './grade.ts';
import { areNicknames } from './nicknames.ts';
import { foldParty } from './parties.ts';
import { areApart, explainClose, hasWordsOf, type PersonName, readPersonName } from './person-name.ts';
import { explainTicket, readPeople, type Ticket } from './tickets.ts';
import { foldText } from './words.ts';

/** A name as a row has it, read once for all contests in which it is looked for. */
export interface GivenName {
  text: string;
  folded: string;
  person: PersonName;
  /** The people that the text can name, in each way to read it. */
  people: readonly Ticket[];
}

function readName(text: string): GivenName {
  const person = readPersonName(text);
  return { text, folded: foldText(text), person, people: readPeople(text, person) };
}

/** Creates a function that reads a name, and remembers the names of a row. */
export function createNameReader(): (text: string) => GivenName {
  const known = new Map<string, GivenName>();
  return (text) => {
    const found = known.get(text) ?? readName(text);
    known.set(text, found);
    return found;
  };
}

/** Contenders that a text can mean. */
export interface FittingContenders {
  exact: readonly Contender[];
  close: ReadonlyMap<Contender, string>;
}

const hasParty = (contender: Contender, party: string | null) =>
  party === null || contender.parties.size === 0 || contender.parties.has(party);

const sharesNickname = (a: PersonName, b: PersonName) =>
  a.nickname === null || b.nickname === null || a.nickname === b.nickname;

/** Whether a known name has a row's words in parentheses. Others may say something else, such as `(withdrawn)`. */
const hasNoteOf = ({ note }: PersonName, known: PersonName) =>
  note === null || [known.note, known.nickname].includes(note) || areNicknames(note, known.words[0] ?? '');

/** Whether a contest can have a contender of exactly this name. */
export const mayHave = (contest: IndexedContest, { folded, person }: GivenName): boolean =>
  contest.byName.has(person.joined) || contest.contenders.some(({ texts }) => texts.has(folded));

/**
 * Finds the contenders of a contest that a name can mean. Titles, parties and degrees do not count, and neither do
 * marks such as Jr. unless two people differ in them.
 *
 * @param party the row's party in any form, or null
 */
export function findContenders(
  contest: IndexedContest,
  given: GivenName,
  party: string | null,
): FittingContenders {
  const { text, folded, person: name } = given;
  const wanted = name.party ?? foldParty(party);
  const byKey = contest.contenders.filter(({ lines }) => lines.some(({ key }) => key === text));
  // A label can have words that tell two people of one name apart.
  const byText = contest.contenders.filter(({ texts }) => texts.has(folded));
  const byName = [name.joined, name.titled].flatMap((words) =>
    (contest.byName.get(words ?? '') ?? []).filter(({ names }) =>
      names.some((known) => hasWordsOf(name, known) && !areApart(name, known)),
    ),
  );
  const found =
    byKey.length > 0
      ? [...new Set([...byKey, ...byText])]
      : narrow([...new Set([...byText, ...byName])], name);
  if (found.length === 0) return { exact: [], close: findClose(contest, given, wanted) };

  const differenceOf = (contender: Contender): string | null => {
    if (!hasParty(contender, wanted)) return 'the party differs';
    if (isDoubted(text) && !contender.lines.some(({ key, label }) => [key, label].includes(text)))
      return 'a sign beside the name may say something else';
    if (byKey.includes(contender) || byText.includes(contender)) return null;
    const named = contender.names.filter((known) => hasWordsOf(name, known) && sharesNickname(name, known));
    if (named.length === 0) return 'the nickname differs';
    return named.some((known) => hasNoteOf(name, known)) ? null : 'the words in parentheses differ';
  };
  const ofParty = found.filter((contender) => hasParty(contender, wanted));
  const exact: Contender[] = [];
  const close = new Map<Contender, string>();
  for (const contender of ofParty.length > 0 ? ofParty : found) {
    const difference = differenceOf(contender);
    if (difference === null) exact.push(contender);
    else close.set(contender, difference);
  }
  return { exact, close };
}

/** Finds contenders whose names are similar. */
function findClose(
  contest: IndexedContest,
  { person, people }: GivenName,
  party: string | null,
): ReadonlyMap<Contender, string> {
  const close = new Map<Contender, string>();
  for (const contender of contest.contenders) {
    const reason = [
      ...contender.tickets.flatMap((ticket) => people.map((given) => explainTicket(given, ticket))),
      ...contender.names.map((known) => explainClose(person, known)),
    ].find((each) => each !== null);
    if (reason)
      close.set(contender, hasParty(contender, party) ? reason : `${reason}, and the party differs`);
  }
  return close;
}

/** Leaves those with the marks of a name, such as Jr., if any has them. */
function narrow(found: Contender[], name: PersonName): Contender[] {
  let left = found;
  for (const mark of ['generation', 'note', 'nickname'] as const) {
    const marked = left.filter(({ names }) => names.some((known) => known[mark] === name[mark]));
    if (name[mark] !== null && marked.length > 0) left = marked;
  }
  return left;
}

/**
 * The line of a contender that an endorsement names: by its key or label, by the party that the text or the row gives,
 * or the only one that stands. Otherwise a person must choose (contract, "Candidates").
 */
export function chooseLine(
  { lines }: Contender,
  { text, folded, person }: GivenName,
  party: string | null,
): Match<ChoiceEntry> {
  const byKey = lines.find(({ key }) => key === text);
  const standing = lines.filter(({ withdrawn }) => !withdrawn);
  const usable = standing.length > 0 ? standing : lines;
  const wanted = person.party ?? foldParty(party);
  const isOfParty = (line: ChoiceEntry) =>
    wanted !== null && [line.party, line.party_label].some((name) => foldParty(name) === wanted);
  // If the line of the given party is withdrawn, another one may not be meant.
  const isWithdrawn = !usable.some(isOfParty) && lines.some(isOfParty);
  const choices = isWithdrawn
    ? []
    : [usable.filter(isOfParty), usable.filter(({ label }) => foldText(label) === folded), usable];
  const line = byKey ?? choices.find(({ length }) => length === 1)?.[0];
  if (line === undefined) {
    const keys = (isWithdrawn ? lines : usable).map(
      (each) =>
        `${each.party_label ?? each.party ?? each.label} (${each.key}${each.withdrawn ? ', withdrawn' : ''})`,
    );
    return {
      grade: 'ambiguous',
      value: null,
      reason: `the candidate is on several lines: ${listSome(keys)}`,
    };
  }
  return { grade: 'exact', value: line, reason: null };
}

/** The contenders of a contest whose names look most like a text. */
export function nearestContenders(
  contest: IndexedContest,
  { person: given }: GivenName,
  most = 3,
): Contender[] {
  const score = ({ names }: Contender) => {
    const common = names.map(({ words }) => words.filter((word) => given.words.includes(word)).length);
    return Math.max(0, ...common);
  };
  return contest.contenders
    .map((contender) => ({ contender, common: score(contender) }))
    .toSorted((a, b) => b.common - a.common)
    .slice(0, most)
    .map(({ contender }) => contender);
}

/** A contender for a message: its name and keys. */
export const showContender = ({ lines }: Contender): string =>
  `${lines[0]?.label ?? ''} (${lines.map(({ key }) => key).join(', ')})`;
