import { parseAsWritten } from '../../../schemas/json-numbers.ts';
import { findNextBatch, markPublished, stopUpload, type Upload } from '../../../store/console/uploads.ts';
import { ApiError } from '../../http/api-error.ts';
import type { ConsoleContext } from '../context.ts';
import type { PageReply, PageRequest } from '../page.ts';
import { showSending } from './sending-page.ts';
import { addressOf, undoAddressOf } from './upload.ts';

/** The longest time in which one request sends batches, in milliseconds. The page then shows the progress. */
const SENDING_MS = 3_000;

/** The answers to a batch that make an undoing stop, because the preview is no longer true. */
const OUTDATED = [403, 409];

/**
 * Sends batches of an upload that are not sent yet, each of them as one request to publish. A batch of an undoing is
 * refused if one of its positions has changed since the preview.
 *
 * @returns why the next batch is not accepted; null if all are sent, or the time is over
 */
async function sendBatches(
  request: PageRequest,
  { api, pool, clock }: ConsoleContext,
  { id, undoes, sinceSequence }: Upload,
): Promise<ApiError | null> {
  const until = clock.now() + SENDING_MS;
  do {
    const batch = await findNextBatch(pool, id);
    if (batch === null) return null;
    try {
      const { data } = await api.call<{ data: { id: number } }>(request, {
        method: 'POST',
        path: '/v1/submissions',
        body: { submissions: parseAsWritten(batch.submissions) },
        idempotencyKey: batch.idempotencyKey,
        ...(undoes !== null && { unchangedSince: String(sinceSequence) }),
      });
      await markPublished(pool, id, { ...batch, publicationId: data.id });
    } catch (error) {
      if (error instanceof ApiError) return error;
      throw error;
    }
  } while (clock.now() < until);
  return null;
}

/** Sends batches of an upload, and shows the progress. An undoing whose preview is no longer true leads to a new one. */
export async function sendUpload(
  request: PageRequest,
  context: ConsoleContext,
  upload: Upload,
): Promise<PageReply> {
  const problem = await sendBatches(request, context, upload);
  if (problem === null) return { redirect: `${addressOf(upload)}?on` };
  const { undoes } = upload;
  if (undoes === null || !OUTDATED.includes(problem.status)) {
    return showSending(request, context, { upload, problem: problem.message });
  }
  await stopUpload(context.pool, upload.id);
  return { redirect: `${undoAddressOf({ id: undoes })}?stopped` };
}
