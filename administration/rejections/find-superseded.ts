import { hash } from 'node:crypto';
import type { Rejection } from '../../schemas/submission.ts';
import { readSubmission } from './describe.ts';

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
    const { value, truncated } = rejection;
    if (value === null || truncated || readSubmission(rejection) === null) continue;
    const digest = hash('sha256', value);
    const earlier = last.get(digest);
    if (earlier) superseded.add(earlier);
    last.set(digest, rejection);
  }
  return superseded;
}

/** The last rejection of the same submission after this one; null without one. @param rejections by time */
export function findLastOfSame(rejection: Rejection, rejections: readonly Rejection[]): Rejection | null {
  const { value, truncated } = rejection;
  if (value === null || truncated) return null;
  const last = rejections.findLast((other) => !other.truncated && other.value?.equals(value));
  return last && last !== rejection && last.rejected_at >= rejection.rejected_at ? last : null;
}
