import { jurisdictionOfState, stateName } from '../../domain/officeholders/states.ts';
import { isCalendarDate } from '../../schemas/catalogue/formats.ts';
import type { ElectionRecord } from '../../schemas/catalogue-files.ts';
import { shorten, showValue } from '../../schemas/problems.ts';
import type { ElectionType } from '../../schemas/vocabulary.ts';
import { defaultElectionType, readElectionType } from '../catalogue/election-types.ts';
import type { Notes } from '../catalogue/notes.ts';
import { readState } from '../catalogue/read-state.ts';
import { FeedError } from './feed-error.ts';
import type { VipObject } from './fields.ts';
import type { Feed } from './read-feed.ts';
import { all, english, find, spanish } from './references.ts';

/** The state of a feed by its OCD id, or else its name. */
function stateOf(feed: Feed, election: VipObject): string {
  const state = find(feed, 'State', election.values.StateId);
  if (!state) {
    const id = election.values.StateId;
    throw new FeedError(
      id === undefined
        ? 'The Election has no StateId.'
        : `The Election names the State ${showValue(id)}, which the feed does not have.`,
    );
  }
  const ids = state.identifiers.map((value) =>
    /^ocd-division\/country:us\/(?:state|district|territory):([a-z]{2})$/i.exec(value),
  );
  const code = ids.find((match) => match !== null)?.[1]?.toUpperCase();
  const known = jurisdictionOfState(code ?? '') ?? jurisdictionOfState(readState(state.values.Name ?? ''));
  if (!known) {
    throw new FeedError(
      `The State is called ${showValue(state.values.Name)} and has no OCD id of a state or territory of the United States.`,
    );
  }
  return known.state;
}

/**
 * The election of a feed, which has exactly one.
 *
 * @param given the type that the person has given, instead of the feed's
 * @throws FeedError if there is not one election with a day, a state and a type
 */
export function mapElection(feed: Feed, notes: Notes, given: ElectionType | null): ElectionRecord {
  const elections = all(feed, 'Election');
  const [election] = elections;
  if (!election || elections.length > 1) {
    throw new FeedError(`The feed has ${elections.length} Election objects; a feed has exactly one.`);
  }
  const date = (election.values.Date ?? '').slice(0, 10);
  if (!isCalendarDate(date)) {
    throw new FeedError(
      `The Date of the Election must be a real date as YYYY-MM-DD, is ${showValue(election.values.Date)}.`,
    );
  }
  const state = stateOf(feed, election);
  const said = [election.texts.ElectionType, election.texts.Name].map(english);
  const type = given ?? typeOf(said, date, notes);
  const slug = `${state.toLowerCase()}-${date}-${type.replaceAll('_', '-')}`;
  const name = english(election.texts.Name);
  const [source] = all(feed, 'Source');
  return {
    slug,
    name: name === '' ? `${stateName(state)} ${type.replaceAll('_', ' ')} election` : shorten(name, 499),
    name_es: spanish(election.texts.Name),
    date,
    state: state as ElectionRecord['state'],
    type,
    source: { format: 'Voting Information Project', name: source?.values.Name ?? null },
  };
}

function typeOf([type = '', name = '']: string[], date: string, notes: Notes): ElectionType {
  const read = readElectionType(type) ?? readElectionType(name);
  if (read) return read;
  const assumed = defaultElectionType(date);
  if (assumed === null) {
    throw new FeedError(
      `The feed does not say the type of the election (ElectionType ${showValue(type)}, Name ${showValue(name)}). Give it with --election-type.`,
    );
  }
  notes.add('assumed', 'the election is a general one, because it is on the national election day', name);
  return assumed;
}
