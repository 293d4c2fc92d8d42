import type { ClientBase } from 'pg';
import { stringifyJson } from '../../schemas/json-text.ts';
import type { Submission } from '../../schemas/submission.ts';
import { writeSubmission } from '../../schemas/submission-files.ts';
import { beginPositions, keepStagedPositions } from '../../store/console/upload-positions.ts';
import { addBatch, forgetContent } from '../../store/console/uploads.ts';
import { saveAliases } from '../../store/intake/aliases.ts';
import { readEndorses, readPositions } from '../../store/intake/staged.ts';
import type { UploadEffects, UploadWork } from './review.ts';

/** The most submissions of a batch: as many as a request to publish has. */
const MAX_SUBMISSIONS = 500;
/** Well below a megabyte, which Kafka takes at a time. One submission can have more. */
const MAX_BYTES = 500_000;

/** Stores submissions in batches. */
export class BatchWriter {
  readonly #client: ClientBase;
  readonly #uploadId: number;
  #batch: string[] = [];
  #bytes = 0;
  #ordinal = 0;
  #made = 0;

  constructor(client: ClientBase, uploadId: number) {
    this.#client = client;
    this.#uploadId = uploadId;
  }

  async add(submission: Submission): Promise<void> {
    const json = stringifyJson(writeSubmission(submission));
    const bytes = Buffer.byteLength(json);
    if (this.#batch.length >= MAX_SUBMISSIONS || this.#bytes + bytes > MAX_BYTES) await this.#flush();
    this.#batch.push(json);
    this.#bytes += bytes;
    this.#made += 1;
  }

  /** Stores the last batch. @returns the number of submissions */
  async finish(): Promise<number> {
    await this.#flush();
    return this.#made;
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    this.#ordinal += 1;
    const [submissions, count] = [`[${this.#batch.join(',')}]`, this.#batch.length];
    await addBatch(this.#client, this.#uploadId, { ordinal: this.#ordinal, submissions, count });
    [this.#batch, this.#bytes] = [[], 0];
  }
}

/**
 * Makes the submissions of a staged upload, in the batches in which they are sent, keeps the positions before them,
 * forgets its file, and remembers what was decided about names. In the caller's transaction with the stage.
 *
 * @returns the number of submissions
 */
export async function makeBatches(
  client: ClientBase,
  { accountId, upload }: UploadWork,
  { matched, leftOut }: Pick<UploadEffects, 'matched' | 'leftOut'>,
): Promise<number> {
  const { isWhole } = upload.settings;
  await beginPositions(client, upload.id);
  await keepStagedPositions(client, upload.id, { replace: isWhole });
  const batches = new BatchWriter(client, upload.id);
  const submissions = isWhole ? readPositions(client) : readEndorses(client);
  for await (const submission of submissions) await batches.add(submission);
  const made = await batches.finish();
  await forgetContent(client, upload.id, leftOut);
  await saveAliases(client, accountId, matched.decisions);
  return made;
}
