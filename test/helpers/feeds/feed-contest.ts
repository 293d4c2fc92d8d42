import type { Draft } from '../../../intake/catalogue/draft.ts';
import { mapText } from './map-text.ts';
import { candidate, contest, ELECTION, type FeedObject, object, ocd, writeFeed } from './vip-feed.ts';

/** The state of `ELECTION`. */
export const VIRGINIA = object(
  'ElectoralDistrict',
  'virginia',
  `${ocd('')}<Name>Virginia</Name><Type>state</Type>`,
);

/** The contest of a feed with these objects beside the election. */
export async function contestOf(...objects: FeedObject[]) {
  const { records, notes } = await mapText(writeFeed([...ELECTION, VIRGINIA, ...objects]));
  const found = records.find((record): record is Draft & { kind: 'contests' } => record.kind === 'contests');
  const { all } = notes;
  return { ...found, record: found?.record, notes: all, messages: all.map(({ message }) => message) };
}

/** The contest with one candidate in this district. */
export const withDistrict = (district: FeedObject, name = 'Board', more: FeedObject[] = []) =>
  contestOf(
    ...more,
    district,
    ...candidate('Ann'),
    contest('CandidateContest', name, district.name, '<BallotSelectionIds>{line-Ann}</BallotSelectionIds>'),
  );
