import type { ClientBase, Pool } from 'pg';
import type { Rejection } from '../../schemas/submission.ts';
import { findMendedSince } from '../../store/endorsements/mended-since.ts';
import { readSubmission } from './describe.ts';

/** Finds the rejections with a later submission that changed the same position. */
export async function findMended(
  client: ClientBase | Pool,
  rejections: readonly Rejection[],
): Promise<Set<Rejection>> {
  const readable = rejections.flatMap((rejection) => {
    const { partition, offset, rejected_at: rejectedAt } = rejection;
    const submission = readSubmission(rejection);
    if (!submission) return [];
    const { endorser, contest } = submission;
    return [{ rejection, rejected: { endorser, contest, partition, offset, rejectedAt } }];
  });
  const mended = await findMendedSince(
    client,
    readable.map(({ rejected }) => rejected),
  );
  return new Set(readable.filter((_, index) => mended.has(index)).map(({ rejection }) => rejection));
}
