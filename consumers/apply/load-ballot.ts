/** Loads the records that submissions name, from the cache or else from the store into the cache. */
import type { ClientBase } from 'pg';
import { type Ballot, type BallotContest, positionKey } from '../../domain/decide-batch.ts';
import type { ChangeBody } from '../../schemas/change.ts';
import type { Submission, SubmittedPick } from '../../schemas/submission.ts';
import { loadPicks } from '../../store/endorsements/endorsement-rows.ts';
import { loadContests, loadEndorsers } from '../../store/endorsements/references.ts';
import { type BallotCache, type CachedPosition, sizeOfPosition } from './ballot-cache.ts';

/** A position that a submission names. */
export interface NamedPosition {
  key: string;
  /** The ids of the endorser and the contest. */
  pair: readonly [number, number];
  contest: BallotContest;
}

interface Cache<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
}

/** The values of these keys, from the cache or else loaded. Unknown keys are left out. */
async function findAll<T>(
  keys: Iterable<string>,
  cache: Cache<T>,
  load: (missing: string[]) => Promise<Map<string, T>>,
): Promise<Map<string, T>> {
  const found = new Map<string, T>();
  const missing: string[] = [];
  for (const key of keys) {
    const value = cache.get(key);
    if (value !== undefined) found.set(key, value);
    // Postgres cannot store a NUL, so no name contains one.
    else if (!key.includes('\0')) missing.push(key);
  }
  if (missing.length === 0) return found;
  for (const [key, value] of await load(missing)) {
    found.set(key, value);
    cache.set(key, value);
  }
  return found;
}

/** The part of the catalogue that submissions name. It is stable while the caller holds the stream's lock. */
export async function loadBallot(
  client: ClientBase,
  cache: BallotCache,
  submissions: readonly Submission[],
): Promise<Ballot> {
  const slugs = new Set(submissions.map(({ endorser }) => endorser));
  const keys = new Set(submissions.map(({ contest }) => contest));
  const [endorsers, contests] = await Promise.all([
    findAll<ChangeBody['endorser']>(slugs, cache.endorsers, (missing) => loadEndorsers(client, missing)),
    findAll<BallotContest>(keys, cache.contests, (missing) => loadContests(client, missing)),
  ]);
  return { endorsers, contests };
}

/** The positions that submissions name, each once, without unknown endorsers and contests. */
export function findNamed(ballot: Ballot, submissions: readonly Submission[]): NamedPosition[] {
  const named = new Map<string, NamedPosition>();
  for (const submission of submissions) {
    const endorser = ballot.endorsers.get(submission.endorser);
    const contest = ballot.contests.get(submission.contest);
    if (!endorser || !contest) continue;
    const key = positionKey(submission.endorser, submission.contest);
    named.set(key, { key, pair: [endorser.id, contest.contest.id], contest });
  }
  return [...named.values()];
}

/**
 * The present positions, by `positionKey`, without picks of removed choices.
 *
 * @returns null if they have more than about `maxBytes`
 */
export async function loadHeld(
  client: ClientBase,
  cache: BallotCache,
  named: readonly NamedPosition[],
  maxBytes: number,
): Promise<Map<string, CachedPosition> | null> {
  const keys = named.map(({ key }) => key);
  let isTooLarge = false;
  const held = await findAll<CachedPosition>(keys, cache.positions, async (missing) => {
    const wanted = new Set(missing);
    const asked = named.filter(({ key }) => wanted.has(key));
    const byPair = new Map(asked.map((position) => [position.pair.join(' '), position]));
    const loaded = new Map(
      missing.map((key) => [
        key,
        { picks: new Map<string, SubmittedPick>(), ids: new Map<string, number>() },
      ]),
    );
    const picks = await loadPicks(
      client,
      asked.map(({ pair }) => pair),
      maxBytes,
    );
    isTooLarge = picks === null;
    if (picks === null) return new Map();
    for (const { endorsementId, endorserId, contestId, pick } of picks) {
      const position = byPair.get(`${endorserId} ${contestId}`);
      if (!position?.contest.choices.has(pick.choice)) continue;
      loaded.get(position.key)?.picks.set(pick.choice, pick);
      loaded.get(position.key)?.ids.set(pick.choice, endorsementId);
    }
    return loaded;
  });
  const size = [...held.values()].reduce((sum, position) => sum + sizeOfPosition(position), 0);
  return isTooLarge || size > maxBytes ? null : held;
}
