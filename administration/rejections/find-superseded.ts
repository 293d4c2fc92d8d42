import { hash } from 'node:crypto';
import type { Rejection } from '../../schemas/submission.ts';
import { createLruCache } from '../../service/lru-cache.ts';
import { readSubmission } from './describe.ts';
import { type RejectionPage, readRejections } from './read-rejections.ts';

/** The most submissions whose last rejection is remembered from one reading to the next. */
const REMEMBERED = 100_000;

/** Equal for two rejections of equal submissions; null if the submission cannot be read. */
function digestOf(rejection: Rejection): string | null {
  const { value, truncated } = rejection;
  if (value === null || truncated || readSubmission(rejection) === null) return null;
  return hash('sha256', value);
}

/**
 * Finds the rejections whose submission came again and was rejected again: a later one has the same bytes. Only the last
 * one counts.
 *
 * @param rejections by time
 */
export function findSuperseded(rejections: readonly Rejection[]): Set<Rejection> {
  const last = new Map<string, Rejection>();
  const superseded = new Set<Rejection>();
  for (const rejection of rejections) {
    const digest = digestOf(rejection);
    if (digest === null) continue;
    const earlier = last.get(digest);
    if (earlier) superseded.add(earlier);
    last.set(digest, rejection);
  }
  return superseded;
}

/** A page, with its rejections whose submission was rejected again later, on this page or another one. */
export interface SortedPage extends RejectionPage {
  superseded: Set<Rejection>;
}

/**
 * Reads the rejected topic as `readRejections` does, and twice if it has several pages: a page cannot tell that a later
 * one has the same submission.
 *
 * @throws the Kafka client's error if the brokers do not answer or the topic does not exist
 */
export async function* readWithSuperseded(
  topic: Parameters<typeof readRejections>[0],
  from: ReadonlyMap<number, number> = new Map(),
): AsyncGenerator<SortedPage> {
  /** The time of the last rejection of each submission, by digest. */
  const times = createLruCache<string, number>(REMEMBERED);
  const timeOf = (digest: string | null) => (digest === null ? undefined : times.get(digest));
  let pages = 0;
  let only: RejectionPage | null = null;
  let ends: ReadonlyMap<number, number> = new Map();
  for await (const page of readRejections(topic, from)) {
    pages += 1;
    only = pages === 1 ? page : null;
    ends = page.ends;
    for (const rejection of page.rejections) {
      const digest = digestOf(rejection);
      const { rejected_at: at } = rejection;
      if (digest !== null) times.set(digest, Math.max(at, timeOf(digest) ?? at));
    }
  }
  if (only) {
    yield { ...only, superseded: findSuperseded(only.rejections) };
    return;
  }
  for await (const page of readRejections(topic, from, ends)) {
    const superseded = findSuperseded(page.rejections);
    for (const rejection of page.rejections) {
      const { rejected_at: at } = rejection;
      if ((timeOf(digestOf(rejection)) ?? at) > at) superseded.add(rejection);
    }
    yield { ...page, superseded };
  }
}

/** The last rejection of the same submission after this one; null without one. @param rejections by time */
export function findLastOfSame(rejection: Rejection, rejections: readonly Rejection[]): Rejection | null {
  const { value, truncated } = rejection;
  if (value === null || truncated) return null;
  const last = rejections.findLast((other) => !other.truncated && other.value?.equals(value));
  return last && last !== rejection && last.rejected_at >= rejection.rejected_at ? last : null;
}
