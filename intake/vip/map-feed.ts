import type { ElectionType } from '../../schemas/vocabulary.ts';
import type { Draft } from '../catalogue/draft.ts';
import { makeKeys } from '../catalogue/keys.ts';
import type { Notes } from '../catalogue/notes.ts';
import { CONTEST_TYPES, type MappedContest, mapContest } from './contests.ts';
import { mapElection } from './elections.ts';
import { KEPT, NO_PLACE } from './fields.ts';
import type { Feed } from './read-feed.ts';
import { all, findAll } from './references.ts';
import { choiceOrders } from './selections.ts';

/**
 * Maps a feed to records of the catalogue (docs/data-formats.md, "Voting Information Project"). Ids and the order of the
 * feed's objects do not matter: keys come from names and districts.
 *
 * @param notes gets what the feed does not say, and what the catalogue has no place for
 * @throws FeedError if the feed has no usable election
 */
export function mapFeed(
  feed: Feed,
  notes: Notes,
  { electionType = null }: { electionType?: ElectionType | null } = {},
): Draft[] {
  noteRest(feed, notes);
  const election = mapElection(feed, notes, electionType);
  const orders = choiceOrders(feed);
  const mapped = Object.keys(CONTEST_TYPES).flatMap((type) =>
    all(feed, type).map((object) => mapContest(feed, election, object, orders, notes)),
  );
  if (mapped.length === 0) notes.add('to check', 'a feed has no contests', election.name);
  const keys = makeKeys(mapped.map(({ named }) => named));
  const contests = mapped.map((contest, index) => withKey(contest, keys[index] ?? null));
  const styles = placesInStyles(feed);
  contests.sort((a, b) => compareOrders(a, b, styles));
  const [object] = all(feed, 'Election');
  return [
    { kind: 'elections', line: object?.line ?? 1, record: election, problems: [], namedBy: 'feed' },
    ...contests.map(({ object: { line }, record, slug, problems }, index): Draft => {
      const key = slug === '' ? '' : `${election.slug}/${slug}`;
      return { kind: 'contests', line, record: { key, slug, ...record, ballot_order: index + 1 }, problems };
    }),
  ];
}

/** Counts the objects for which the catalogue has no place. */
function noteRest({ counts }: Feed, notes: Notes): void {
  for (const [type, count] of counts) {
    if (Object.hasOwn(NO_PLACE, type)) notes.add('left out', NO_PLACE[type] ?? type, undefined, count);
    else if (!Object.hasOwn(KEPT, type)) notes.add('left out', `objects ${type}`, undefined, count);
    else if (type === 'BallotStyle') notes.add('left out', 'ballot styles', undefined, count);
  }
}

type KeyedContest = MappedContest & { slug: string };

function withKey(contest: MappedContest, slug: string | null): KeyedContest {
  if (slug !== null) return { ...contest, slug };
  const message =
    'has the same name, district, title, subtitle and office as another contest of the feed, so that their keys would not last';
  const problems = contest.named ? [{ field: 'Name', message }] : [];
  return { ...contest, slug: '', problems: [...contest.problems, ...problems] };
}

/** The first place of each contest in the ballot styles. */
function placesInStyles(feed: Feed): Map<string, number> {
  const places = new Map<string, number>();
  for (const { values } of all(feed, 'BallotStyle')) {
    const ordered = findAll(feed, 'OrderedContest', values.OrderedContestIds);
    for (const [place, object] of ordered.entries()) {
      const contest = object.values.ContestId ?? '';
      places.set(contest, Math.min(place, places.get(contest) ?? place));
    }
  }
  return places;
}

/** By the number on the ballot, then the place in a ballot style, then the key. */
function compareOrders(a: KeyedContest, b: KeyedContest, styles: Map<string, number>): number {
  const number = ({ object }: KeyedContest) => Number.parseInt(object.values.SequenceOrder ?? '', 10);
  const sequence = (contest: KeyedContest) =>
    Number.isNaN(number(contest)) ? Number.MAX_SAFE_INTEGER : number(contest);
  const place = ({ object }: KeyedContest) => styles.get(object.id) ?? Number.MAX_SAFE_INTEGER;
  return sequence(a) - sequence(b) || place(a) - place(b) || (a.slug < b.slug ? -1 : 1);
}
