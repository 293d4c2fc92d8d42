import pg from 'pg';
import { type Applied, applyRanges } from '../../../consumers/apply/apply-ranges.ts';
import { createRecord, type SubmissionRange } from '../../../consumers/apply/submission-record.ts';
import { type Submission, submissionCodec } from '../../../schemas/submission.ts';

export const SUBMISSIONS_TOPIC = 'submissions';

/** A run of a partition with these submissions, from an offset on. Bytes stand for themselves. */
export function createTestRange(
  from: number,
  submissions: readonly (Submission | Buffer)[],
  partition = 0,
): SubmissionRange {
  const records = submissions.map((submission, index) =>
    createRecord(
      {
        offset: from + index,
        key: Buffer.isBuffer(submission) ? null : Buffer.from(submission.endorser),
        value: Buffer.isBuffer(submission) ? submission : submissionCodec.encode(submission),
        timestamp: Date.UTC(2026, 0),
        headers: null,
      },
      (error) => {
        throw error;
      },
    ),
  );
  return { partition, from, to: from + records.length, appendedAt: null, records: records };
}

/** Applies submissions after those applied before, in one transaction on its own connection. */
export async function applySubmissions(
  { host, port, user, password, database }: pg.Client,
  ...submissions: (Submission | Buffer)[]
): Promise<Applied> {
  const client = new pg.Client({ host, port, user, password, database, pipeline: true });
  await client.connect();
  try {
    const { rows } = await client.query<{ next_offset: string }>(
      'SELECT next_offset FROM consumer_offsets WHERE topic = $1 AND partition = 0',
      [SUBMISSIONS_TOPIC],
    );
    const range = createTestRange(Number(rows[0]?.next_offset ?? 0), submissions);
    return await applyRanges(client, SUBMISSIONS_TOPIC, [range]);
  } finally {
    await client.end();
  }
}
