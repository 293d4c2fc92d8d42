import type { ClientBase } from 'pg';
import { appendChanges, lockStreamHead } from '../stream/change-log.ts';
import { loadBodiesOfChoices } from './references.ts';

/**
 * Withdraws every endorsement of these choices, each with an `endorsement.deleted` change, within the caller's
 * transaction. Takes the stream's lock, so call it near the end of a long transaction.
 *
 * @returns the number of endorsements withdrawn.
 */
export async function withdrawEndorsementsOfChoices(
  client: ClientBase,
  choiceIds: number[],
): Promise<number> {
  if (choiceIds.length === 0) return 0;
  const head = await lockStreamHead(client);
  const bodies = await loadBodiesOfChoices(client, choiceIds);
  await client.query('DELETE FROM endorsements WHERE choice_id = ANY($1)', [choiceIds]);
  await appendChanges(
    client,
    head,
    bodies.map((body) => ({ type: 'deleted', body })),
  );
  return bodies.length;
}
