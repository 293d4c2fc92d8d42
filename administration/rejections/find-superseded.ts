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
