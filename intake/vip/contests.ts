import { isHttpUrl } from '../../schemas/catalogue/formats.ts';
import type { ContestRecord, ElectionRecord } from '../../schemas/catalogue-files.ts';
import { type Problem, shorten, showValue } from '../../schemas/problems.ts';
import { normalizeLines } from '../../schemas/text.ts';
import type { ContestKind, VoteMethod } from '../../schemas/vocabulary.ts';
import { methodOfSeats } from '../catalogue/answers.ts';
import type { Named } from '../catalogue/keys.ts';
import type { Notes } from '../catalogue/notes.ts';
import { type MappedDistrict, mapDistrict } from './districts.ts';
import type { VipObject } from './fields.ts';
import type { Feed } from './read-feed.ts';
import {
  danglingReferences,
  english,
  find,
  findAll,
  namesOfParties,
  positive,
  spanish,
} from './references.ts';
import { type ChoiceOrders, mapAnswers, mapCandidates, missingName, nameOf } from './selections.ts';

/** The longest title from the ballot, in characters: half of a record's 500, so that names can follow it. */
const MAX_BALLOT_TITLE = 250;
/** The longest description of a record, in characters. */
const MAX_TEXT = 20_000;

/** The vote method of each VoteVariation with one in the catalogue. */
const METHODS: Readonly<Record<string, VoteMethod>> = {
  '1-of-m': 'plurality',
  plurality: 'plurality',
  majority: 'plurality',
  'super-majority': 'plurality',
  'n-of-m': 'multi_seat',
  approval: 'approval',
  rcv: 'ranked_choice',
};

/** The types of contests, and the kinds of the catalogue. */
export const CONTEST_TYPES: Readonly<Record<string, ContestKind>> = {
  CandidateContest: 'candidate',
  BallotMeasureContest: 'measure',
  RetentionContest: 'retention',
};

/** A contest of the feed, before it has its key. */
export interface MappedContest {
  object: VipObject;
  /** Without `key` and `slug`. */
  record: Omit<ContestRecord, 'key' | 'slug'>;
  /** Null if the feed lacks a part of its names. */
  named: Named | null;
  problems: Problem[];
}

/** In place of a district that the feed lacks. */
const NOWHERE: MappedDistrict = { record: { name: '', level: 'state', type: 'other' }, keyPart: '' };

/** The names of a contest, in English. */
interface Names {
  name: string;
  /** The judge of a retention, or else an empty text. */
  judge: string;
  offices: string[];
  /** The parties whose primary it is. */
  parties: string[];
  isUnexpired: boolean;
}

function readNames(feed: Feed, { values, texts }: VipObject): Names {
  const offices = findAll(feed, 'Office', values.OfficeIds ?? values.OfficeId);
  const judge = find(feed, 'Candidate', values.CandidateId);
  return {
    name: values.Name ?? english(texts.BallotTitle),
    judge: judge ? nameOf(feed, judge) : '',
    offices: offices.map((office) => english(office.texts.Name)),
    parties: namesOfParties(findAll(feed, 'Party', values.PrimaryPartyIds)),
    isUnexpired: offices.some((office) => office.values.TermType?.toLowerCase() === 'unexpired-term'),
  };
}

/** Maps a contest. Its problems are those that the checks of records would not find. */
export function mapContest(
  feed: Feed,
  election: ElectionRecord,
  object: VipObject,
  orders: ChoiceOrders,
  notes: Notes,
): MappedContest {
  const kind = CONTEST_TYPES[object.type] ?? 'candidate';
  const isForOffice = kind === 'candidate';
  const names = readNames(feed, object);
  const district = find(feed, 'ElectoralDistrict', object.values.ElectoralDistrictId);
  const { record: districtRecord, keyPart } = district
    ? mapDistrict(feed, district, election.state, [...names.offices, names.name], notes)
    : NOWHERE;
  const missing = missingNames(feed, object, district);
  const mapChoices = isForOffice ? mapCandidates : mapAnswers;
  const { choices, problems: choiceProblems } = mapChoices(feed, object, orders, notes);
  const problems = [...missing, ...choiceProblems];
  const isQuestion = choices.some(({ measure_answer: answer }) => answer);
  const { method, votes }: Voting = isForOffice
    ? votingOf(object, notes, problems)
    : { method: isQuestion ? 'yes_no' : 'plurality', votes: 1 };
  return {
    object,
    record: {
      election: election.slug,
      ...titlesOf(object, names),
      ...(isForOffice ? {} : describe(object, notes)),
      kind,
      vote_method: method,
      votes_allowed: votes,
      measure_code: kind === 'measure' ? (object.values.Abbreviation ?? null) : null,
      district: districtRecord,
      choices,
      source_url: addressOf(object, notes),
      ...detailsOf(names),
    },
    named: missing.length > 0 ? null : keyNamesOf(object, names, keyPart),
    problems,
  };
}

function detailsOf({ parties, isUnexpired }: Names): Pick<ContestRecord, 'details'> {
  const details = {
    ...(parties.length > 0 ? { primary_party: parties.join(', ') } : {}),
    ...(isUnexpired ? { unexpired_term: true } : {}),
  };
  return Object.keys(details).length > 0 ? { details } : {};
}

/** The names of which the key is made. */
function keyNamesOf({ texts }: VipObject, names: Names, district: string): Named {
  const { name, judge, offices, parties, isUnexpired } = names;
  return {
    parts: [name, judge, parties.toSorted().join(' '), district, isUnexpired ? 'unexpired' : ''],
    further: [english(texts.BallotTitle), english(texts.BallotSubTitle), offices.join(' ')],
  };
}

/** The problems of a contest whose district, judge, offices or parties the feed lacks. These are parts of its key. */
function missingNames(feed: Feed, object: VipObject, district: VipObject | undefined): Problem[] {
  const problems = [
    ...danglingReferences(feed, 'Candidate', object, 'CandidateId'),
    ...danglingReferences(feed, 'Office', object, 'OfficeIds'),
    ...danglingReferences(feed, 'Office', object, 'OfficeId'),
    ...danglingReferences(feed, 'Party', object, 'PrimaryPartyIds'),
  ];
  const judge = find(feed, 'Candidate', object.values.CandidateId);
  if (judge) problems.push(...missingName(feed, judge));
  if (district) return problems;
  const id = object.values.ElectoralDistrictId;
  const message = id === undefined ? 'is missing' : `names ${showValue(id)}, which the feed does not have`;
  return [{ field: 'ElectoralDistrictId', message }, ...problems];
}

/** Whether a contest's title on the ballot is short enough for a title. */
const isTitle = (ballot: string): boolean => ballot !== '' && ballot.length <= MAX_BALLOT_TITLE;

/** Adds the parties of a primary and the judge of a retention to a title that does not name them. */
function completeTitle(title: string, judge: string, parties: readonly string[]): string {
  const party = parties.length > 0 && !/primar(y|ia)/i.test(title) ? ` (${parties.join(', ')})` : '';
  const person = judge !== '' && !title.includes(judge) ? `: ${judge}` : '';
  return `${title}${party}${person}`;
}

/**
 * The titles of a contest: the title on the ballot, or the contest's name if that is too long, or else its beginning. The
 * description then has the title on the ballot.
 */
function titlesOf({ texts, values }: VipObject, { judge, parties }: Names) {
  const ballot = english(texts.BallotTitle);
  const isUsable = isTitle(ballot);
  const title = isUsable ? ballot : (values.Name ?? shorten(ballot, MAX_BALLOT_TITLE));
  const titleEs = isUsable ? spanish(texts.BallotTitle) : null;
  const complete = (text: string): string => completeTitle(text, judge, parties);
  return {
    title: complete(title),
    title_es: titleEs === null ? null : complete(titleEs),
    short_title: complete(values.Name ?? title),
  };
}

/** The text of a measure: in full, or else its summary, its subtitle, or the title that is too long for one. */
function describe({ texts, values }: VipObject, notes: Notes) {
  const { FullText, SummaryText, BallotSubTitle, BallotTitle } = texts;
  const title = isTitle(english(BallotTitle)) ? undefined : BallotTitle;
  const given = [FullText, SummaryText, BallotSubTitle, title].map((text) => ({
    en: normalizeLines(text?.en ?? text?.other ?? ''),
    es: normalizeLines(text?.es ?? ''),
  }));
  if (given.some(({ en }) => en.length > MAX_TEXT)) {
    notes.add('left out', `texts of measures with more than ${MAX_TEXT} characters`, values.Name);
  }
  const isUsable = (text: string) => text !== '' && text.length <= MAX_TEXT;
  const both = given.find(({ en }) => isUsable(en));
  if (both) return { description: both.en, description_es: isUsable(both.es) ? both.es : null };
  return { description: given.find(({ es }) => isUsable(es))?.es ?? null, description_es: null };
}

/** How people vote in a contest. */
interface Voting {
  method: VoteMethod;
  votes: number | null;
}

/** The vote method and the seats of a contest for offices. */
function votingOf({ values }: VipObject, notes: Notes, problems: Problem[]): Voting {
  const elected = positive(values.NumberElected);
  const votes = positive(values.VotesAllowed) ?? elected;
  const variation = values.VoteVariation;
  if (variation === undefined) {
    const method = methodOfSeats(votes);
    const seats = method === 'plurality' ? 'one seat' : 'several seats';
    notes.add(
      'assumed',
      `the vote method is ${method} for ${seats}, because the feed does not say it`,
      values.Name,
    );
    return { method, votes: method === 'plurality' ? 1 : votes };
  }
  const word = variation.toLowerCase();
  const method = Object.hasOwn(METHODS, word) ? METHODS[word] : undefined;
  if (method === undefined) {
    const known = Object.keys(METHODS).join(', ');
    problems.push({ field: 'VoteVariation', message: `must be one of ${known}, is ${showValue(variation)}` });
    return { method: 'plurality', votes: 1 };
  }
  if (method === 'ranked_choice') return { method, votes: elected };
  if (method === 'multi_seat' && votes === 1) return { method: 'plurality', votes };
  if (method === 'plurality' && votes !== null && votes > 1) {
    notes.add(
      'to check',
      `the feed says both ${variation} and several votes: the vote method is multi_seat`,
      values.Name,
    );
    return { method: 'multi_seat', votes };
  }
  return { method, votes: method === 'plurality' ? 1 : votes };
}

function addressOf({ values }: VipObject, notes: Notes): string | null {
  const address = values.InfoUri;
  if (address === undefined) return null;
  if (isHttpUrl(address)) return address;
  notes.add('left out', 'addresses of measures that do not begin with http:// or https://', address);
  return null;
}
