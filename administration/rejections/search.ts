import type { Rejection } from '../../schemas/submission.ts';
import { readSubmission } from './describe.ts';
import { byTime } from './read-rejections.ts';
import { loadRecentRejections, type RecentRejections } from './recent.ts';
import type { TopicsPlace } from './retry.ts';

/** The values that rejections must have. Null stands for anything. */
export interface RejectionSearch {
  /** The code of the reason. */
  code: string | null;
  /** The endorser's slug. */
  endorser: string | null;
  /** The earliest time, in milliseconds since 1970. */
  since: number | null;
}

export interface FoundRejections extends Omit<RecentRejections, 'oldest'> {
  /** Those that match, by time. `rejections` are all that were read. */
  found: Rejection[];
  /** Where the reading of each match began: its `before`, or null for the newest. */
  places: Map<Rejection, ReadonlyMap<number, number> | null>;
}

/** The most readings of a search, and the number of matches after which it does not read on. */
const MAX_READS = 5;
const ENOUGH = 20;

const matches = (rejection: Rejection, { code, endorser, since }: RejectionSearch): boolean =>
  (code === null || rejection.code === code) &&
  (since === null || rejection.rejected_at >= since) &&
  (endorser === null || readSubmission(rejection)?.endorser === endorser);

/** Whether each partition with older records was read past a time. Within a partition, times hardly go back. */
function isReadPast({ before, oldest }: RecentRejections, since: number | null): boolean {
  if (since === null || before === null) return false;
  return [...before.keys()].every((partition) => (oldest.get(partition) ?? since) < since);
}

/**
 * Looks for rejections among the newest, or among those before an earlier search. Its cost is bounded, so that it may
 * end before it has found any; it then continues from `before`.
 *
 * @param ofPartition the most records of a reading per partition
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function searchRejections(
  place: TopicsPlace,
  search: RejectionSearch,
  { ofPartition, before }: { ofPartition: number; before: ReadonlyMap<number, number> | null },
): Promise<FoundRejections> {
  const all: FoundRejections = { rejections: [], strangers: 0, before, found: [], places: new Map() };
  for (let reads = 0; reads < MAX_READS; reads += 1) {
    const read = await loadRecentRejections(place, ofPartition, all.before);
    all.rejections.push(...read.rejections);
    all.strangers += read.strangers;
    for (const rejection of read.rejections.filter((each) => matches(each, search))) {
      all.found.push(rejection);
      all.places.set(rejection, all.before);
    }
    all.before = read.before;
    if (isReadPast(read, search.since)) all.before = null;
    const isSearch = search.code !== null || search.endorser !== null;
    if (all.before === null || !isSearch || all.found.length >= ENOUGH) break;
  }
  all.rejections.sort(byTime);
  all.found.sort(byTime);
  return all;
}
