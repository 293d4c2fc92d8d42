import type { ClientBase, Pool } from 'pg';
import type { Rejection } from '../../schemas/submission.ts';
import {
  findMendedSince,
  findMendingChange,
  type MendingChange,
  type RejectedSubmission,
} from '../../store/endorsements/mended-since.ts';
import { readSubmission } from './describe.ts';

/** Finds the rejections with a later submission that changed the same position. */
export async function findMended(
  client: ClientBase | Pool,
  rejections: readonly Rejection[],
): Promise<Set<Rejection>> {
  const readable = rejections.flatMap((rejection) => {
    const rejected = describeRejected(rejection);
    return rejected === null ? [] : [{ rejection, rejected }];
  });
  const mended = await findMendedSince(
    client,
    readable.map(({ rejected }) => rejected),
  );
  return new Set(readable.filter((_, index) => mended.has(index)).map(({ rejection }) => rejection));
}

function describeRejected(rejection: Rejection): RejectedSubmission | null {
  const { partition, offset, rejected_at: rejectedAt } = rejection;
  const submission = readSubmission(rejection);
  if (!submission) return null;
  const { endorser, contest } = submission;
  return { endorser, contest, partition, offset, rejectedAt };
}

/** The change of the same position that mended a rejection, as long as the change log has it; null without one. */
export async function findWhatMended(
  client: ClientBase | Pool,
  rejection: Rejection,
): Promise<MendingChange | null> {
  const rejected = describeRejected(rejection);
  return rejected && findMendingChange(client, rejected);
}
