import type { ChoiceRecord } from '../../schemas/catalogue-files.ts';
import { type Problem, showValue } from '../../schemas/problems.ts';
import { answerOfLabel, isNoneOfThese, YES_AND_NO } from '../catalogue/answers.ts';
import { makeKeys } from '../catalogue/keys.ts';
import type { Notes } from '../catalogue/notes.ts';
import type { VipObject } from './fields.ts';
import type { Feed } from './read-feed.ts';
import {
  all,
  danglingReferences,
  english,
  find,
  findAll,
  idsOf,
  isTrue,
  namesOfParties,
  partiesOf,
  spanish,
} from './references.ts';

/** The choices of a contest, or the reasons why it has none that can be used. */
export interface MappedChoices {
  choices: ChoiceRecord[];
  problems: Problem[];
}

/** The order of a contest's choices in each of its ordered contests, by contest. */
export type ChoiceOrders = ReadonlyMap<string, readonly string[]>;

/** The orders that all ordered contests of a contest agree on. Contests with rotating names have none. */
export function choiceOrders(feed: Feed): ChoiceOrders {
  const orders = new Map<string, string[] | null>();
  for (const { values } of all(feed, 'OrderedContest')) {
    const contest = values.ContestId ?? '';
    const order = idsOf(values.OrderedBallotSelectionIds);
    if (order.length === 0) continue;
    const known = orders.get(contest);
    if (known === undefined) orders.set(contest, order);
    else if (known?.join(' ') !== order.join(' ')) orders.set(contest, null);
  }
  return new Map([...orders].flatMap(([contest, order]) => (order ? [[contest, order]] : [])));
}

/** A contest's selections in the order of the ballot. */
function selectionsOf(feed: Feed, contest: VipObject, type: string, orders: ChoiceOrders): VipObject[] {
  const listed = findAll(feed, type, contest.values.BallotSelectionIds);
  const number = ({ values }: VipObject) => Number(values.SequenceOrder);
  if (listed.every((selection) => Number.isInteger(number(selection)))) {
    return listed.toSorted((a, b) => number(a) - number(b));
  }
  const order = orders.get(contest.id);
  if (!order) return listed;
  const place = ({ id }: VipObject) => (order.includes(id) ? order.indexOf(id) : order.length);
  return listed.toSorted((a, b) => place(a) - place(b));
}

/** The answers to a measure or a retention. Yes and No if the feed lists none. */
export function mapAnswers(
  feed: Feed,
  contest: VipObject,
  orders: ChoiceOrders,
  notes: Notes,
): MappedChoices {
  if (idsOf(contest.values.BallotSelectionIds).length === 0) {
    notes.add(
      'assumed',
      'the choices of a measure are Yes and No, because the feed has none',
      contest.values.Name,
    );
    return { choices: YES_AND_NO, problems: [] };
  }
  const selections = selectionsOf(feed, contest, 'BallotMeasureSelection', orders);
  const labels = selections.map(({ texts }) => english(texts.Selection));
  const answers = labels.map(answerOfLabel);
  const isQuestion = ['yes', 'no'].every((word) => answers.filter((answer) => answer === word).length === 1);
  if (!isQuestion) {
    notes.add(
      'to check',
      'the choices of a measure are neither Yes nor No: voters mark one of them',
      contest.values.Name,
    );
  }
  const keys = isQuestion
    ? answers.map(
        (answer, index) => answer ?? makeKeys([{ parts: [labels[index] ?? ''], further: [] }])[0] ?? null,
      )
    : makeKeys(labels.map((label) => ({ parts: [label], further: [] })));
  const choices = selections.map(({ texts }, index): ChoiceRecord => {
    const answer = isQuestion ? answers[index] : null;
    return {
      key: keys[index] ?? '',
      label: labels[index] ?? '',
      label_es: spanish(texts.Selection),
      ...(answer ? { measure_answer: answer } : {}),
    };
  });
  return {
    choices,
    problems: [
      ...danglingReferences(feed, 'BallotMeasureSelection', contest, 'BallotSelectionIds'),
      ...missingKeys(choices, 'texts'),
    ],
  };
}

/** A line of the ballot with its candidates. */
interface Line {
  selection: VipObject;
  candidates: VipObject[];
  name: string;
  nameEs: string | null;
  /** Tells the person or ticket apart within the feed. */
  person: string;
  /** The candidate's own party. */
  party: string;
  /** The parties of the line. */
  lineParties: string;
  lineParty: VipObject | undefined;
}

/** Maps the lines of a contest's candidates to choices, with their keys and candidates. */
export function mapCandidates(
  feed: Feed,
  contest: VipObject,
  orders: ChoiceOrders,
  notes: Notes,
): MappedChoices {
  const lines = linesOf(feed, contest, orders, notes);
  if (lines.length === 0) notes.add('to check', 'a contest has no candidates', contest.values.Name);
  const candidateOf = candidatesOf(lines, notes);
  const keys = makeKeys(
    lines.map(({ name, party, lineParties }) => ({ parts: [name], further: [lineParties, party] })),
  );
  const choices = lines.map((line, index) =>
    choiceOf(line, keys[index] ?? '', candidateOf.get(line.person) ?? { full_name: line.name }),
  );
  const problems = [
    ...danglingReferences(feed, 'CandidateSelection', contest, 'BallotSelectionIds'),
    ...lines.flatMap(({ selection }) => danglingReferences(feed, 'Candidate', selection, 'CandidateIds')),
    ...lines.flatMap(({ candidates }) => candidates.flatMap((candidate) => missingName(feed, candidate))),
    ...missingKeys(choices, 'names and parties'),
  ];
  return { choices, problems };
}

/** The lines of a contest, without those for write-ins and those without a candidate. */
function linesOf(feed: Feed, contest: VipObject, orders: ChoiceOrders, notes: Notes): Line[] {
  return selectionsOf(feed, contest, 'CandidateSelection', orders).flatMap((selection) => {
    const candidates = ticketOf(findAll(feed, 'Candidate', selection.values.CandidateIds));
    const isWriteIn =
      isTrue(selection.values.IsWriteIn) ||
      (candidates.length > 0 &&
        candidates.every((candidate) => hasStatus(candidate, 'PreElectionStatus', 'write-in')));
    const isEmpty = idsOf(selection.values.CandidateIds).length === 0;
    if (isWriteIn) notes.add('left out', 'lines for write-ins', contest.values.Name);
    else if (isEmpty) notes.add('left out', 'lines without a candidate', contest.values.Name);
    return isWriteIn || isEmpty ? [] : [lineOf(feed, selection, candidates, notes)];
  });
}

/** The candidate of each person. It has a key if the person has several lines or a namesake in the contest. */
function candidatesOf(lines: readonly Line[], notes: Notes) {
  const people = [...Map.groupBy(lines, ({ person }) => person)].map(([person, own]) => ({
    person,
    // Lines can spell the name differently, and their order can change from feed to feed.
    name: own.map(({ name }) => name).toSorted()[0] ?? '',
    parties: own.map(({ party }) => party).toSorted(),
  }));
  const keys = makeKeys(people.map(({ name, parties }) => ({ parts: [name], further: parties })));
  const namesakes = Map.groupBy(people, ({ name }) => name);
  for (const [name, same] of namesakes) {
    if (same.length > 1) {
      notes.add('to check', 'candidates of one name in a contest count as different people', name);
    }
  }
  return new Map(
    people.map(({ person, name, parties }, index) => {
      const isRepeated = parties.length > 1 || (namesakes.get(name)?.length ?? 0) > 1;
      const key = isRepeated ? keys[index] : null;
      return [person, { full_name: name, ...(key ? { key } : {}) }];
    }),
  );
}

/** Whether a candidate has a status, such as `withdrawn`. Case does not count, as in the types of districts. */
const hasStatus = ({ values }: VipObject, field: string, status: string): boolean =>
  values[field]?.toLowerCase() === status;

/** The candidates of a ticket in the order of the feed, but its top first. */
function ticketOf(candidates: VipObject[]): VipObject[] {
  const isTop = ({ values }: VipObject) => Number(isTrue(values.IsTopTicket));
  return candidates.toSorted((a, b) => isTop(b) - isTop(a));
}

function lineOf(feed: Feed, selection: VipObject, candidates: VipObject[], notes: Notes): Line {
  const [first] = candidates;
  const names = candidates.map((candidate) => nameOf(feed, candidate));
  const name = names.join(' / ');
  const namesEs = candidates.map(({ texts }, index) => spanish(texts.BallotName) ?? names[index] ?? '');
  const parties = partiesOf(feed, selection.values.EndorsementPartyIds, name, notes);
  const own = partiesOf(feed, first?.values.PartyId, name, notes);
  const [party = ''] = namesOfParties([...own, ...parties]);
  return {
    selection,
    candidates,
    name,
    nameEs: namesEs.join(' / ') === name ? null : namesEs.join(' / '),
    // Different objects can be one person.
    person: candidates
      .map(({ id, values }) => (values.PersonId ? `person ${values.PersonId}` : id))
      .join(' '),
    party,
    lineParties: namesOfParties(parties).join(', '),
    lineParty: parties.length === 1 ? parties[0] : undefined,
  };
}

/** A candidate's name on the ballot, or else the person's. */
export function nameOf(feed: Feed, candidate: VipObject): string {
  const name = english(candidate.texts.BallotName);
  if (name !== '') return name;
  const person = find(feed, 'Person', candidate.values.PersonId);
  const full = english(person?.texts.FullName);
  return full !== '' ? full : [person?.values.FirstName, person?.values.LastName].filter(Boolean).join(' ');
}

/** The problem of a candidate without a name; none for others. */
export function missingName(feed: Feed, candidate: VipObject): Problem[] {
  if (nameOf(feed, candidate) !== '') return [];
  const message = `is missing in the Candidate ${showValue(candidate.id)}, and the feed has no Person with its name`;
  return [{ field: 'BallotName', message }];
}

function choiceOf(line: Line, key: string, candidate: NonNullable<ChoiceRecord['candidate']>): ChoiceRecord {
  const label = { key, label: line.name, label_es: line.nameEs };
  if (isNoneOfThese(line.name)) return { ...label, option: 'none_of_these' };
  const has = (field: string, status: string) =>
    line.candidates.every((candidate) => hasStatus(candidate, field, status));
  const isIncumbent = line.candidates.some(({ values }) => isTrue(values.IsIncumbent));
  return {
    ...label,
    candidate,
    party: (line.lineParty && line.lineParties) || line.party || null,
    party_label: line.lineParties || null,
    party_label_es: line.lineParty ? spanish(line.lineParty.texts.Name) : null,
    withdrawn: has('PreElectionStatus', 'withdrawn') || has('PostElectionStatus', 'withdrawn'),
    ...(isIncumbent ? { details: { incumbent: true } } : {}),
  };
}

function missingKeys(choices: ChoiceRecord[], what: string): Problem[] {
  return choices.flatMap(({ key, label }, index) => {
    const message = `has ${what} that do not tell it apart, is ${JSON.stringify(label)}`;
    return key === '' ? [{ field: `choices[${index}]`, message }] : [];
  });
}
