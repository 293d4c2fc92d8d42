import type { ClientBase } from 'pg';
import { stringifyJson } from '../../schemas/json-text.ts';
import { writeSubmission } from '../../schemas/submission-files.ts';
import { addBatch, forgetContent } from '../../store/console/uploads.ts';
import { saveAliases } from '../../store/intake/aliases.ts';
import { readEndorses, readPositions } from '../../store/intake/staged.ts';
import type { UploadEffects, UploadWork } from './review.ts';

/** The most submissions of a batch: as many as a request to publish has. */
const MAX_SUBMISSIONS = 500;
/** Well below a megabyte, which Kafka takes at a time. One submission can have more. */
const MAX_BYTES = 500_000;

/**
 * Makes the submissions of a staged upload, in the batches in which they are sent, forgets its file, and remembers what
 * was decided about names. In the caller's transaction with the stage.
 *
 * @returns the number of submissions
 */
export async function makeBatches(
  client: ClientBase,
  { accountId, upload }: UploadWork,
  { matched }: Pick<UploadEffects, 'matched'>,
): Promise<number> {
  const submissions = upload.settings.isWhole ? readPositions(client) : readEndorses(client);
  let batch: string[] = [];
  let bytes = 0;
  let ordinal = 0;
  let made = 0;
  const flush = async () => {
    if (batch.length === 0) return;
    ordinal += 1;
    await addBatch(client, upload.id, {
      ordinal,
      submissions: `[${batch.join(',')}]`,
      count: batch.length,
    });
    [batch, bytes] = [[], 0];
  };
  for await (const submission of submissions) {
    const json = stringifyJson(writeSubmission(submission));
    if (batch.length >= MAX_SUBMISSIONS || bytes + json.length > MAX_BYTES) await flush();
    batch.push(json);
    bytes += json.length;
    made += 1;
  }
  await flush();
  await forgetContent(client, upload.id);
  await saveAliases(client, accountId, matched.decisions);
  return made;
}
