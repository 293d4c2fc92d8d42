import { expect, test } from '@jest/globals';
import { makeBatches } from '../../administration/uploads/batches.ts';
import type { UploadEffects, UploadWork } from '../../administration/uploads/review.ts';
import { findUpload } from '../../store/console/uploads.ts';
import { createStage, finishStage, stageRows } from '../../store/intake/staged.ts';
import { pick } from '../helpers/ballots/submissions.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { saveTable } from '../helpers/postgres/uploads.ts';

const { client } = useTestDatabase();

test.each([
  ['long submissions in Latin', 'x'.repeat(19_000), [26, 26, 8]],
  ['long submissions in Chinese', '選'.repeat(19_000), [8, 8, 8, 8, 8, 8, 8, 4]],
  ['short submissions', 'x', [500, 500, 1]],
])(
  '%s are sent in few batches, each of at most 500 and half a megabyte, in the order of the table',
  async (_, said, counts) => {
    const total = counts.reduce((sum, count) => sum + count);
    const accountId = await createAccount(client);
    await client.query('BEGIN');
    const id = await saveTable(client, accountId);
    await createStage(client);
    const rows = Array.from({ length: total }, (_, index) => {
      const statement = `No. ${index}. ${said}`;
      return {
        ...pick(`candidate-${index}`, { statement }),
        line: index + 2,
        endorser: 'acme',
        contest: 'a/b',
      };
    });
    await stageRows(client, rows);
    await finishStage(client);
    const upload = await findUpload(client, { accountId, id });
    const matched = { decisions: [] } as unknown as UploadEffects['matched'];
    const made = await makeBatches(client, { accountId, upload } as UploadWork, { matched, leftOut: 0 });
    await client.query('COMMIT');
    expect(made).toBe(total);
    const { rows: batches } = await client.query<{ submissions: string; count: number }>(
      'SELECT submissions, count FROM upload_batches WHERE upload_id = $1 ORDER BY ordinal',
      [id],
    );
    const sent = batches.flatMap(({ submissions }) => JSON.parse(submissions));
    expect(sent.map(({ statement }) => statement.split(' ', 2)[1])).toEqual(
      rows.map((_, index) => `${index}.`),
    );
    expect(batches.map(({ count }) => count)).toEqual(counts);
    for (const { submissions } of batches)
      expect(Buffer.byteLength(submissions)).toBeLessThanOrEqual(500_100);
  },
);
