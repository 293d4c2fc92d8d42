import { expect, test } from '@jest/globals';
import { forgetContent, listUploads, MAX_UPLOADS, saveUpload } from '../../store/console/uploads.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();

test('of the uploads that are sent, the oldest makes room for a new one, and drafts stay', async () => {
  const accountId = await createAccount(client);
  const settings = { map: [], endorser: null, election: null, isWhole: false };
  const save = async () => {
    const table = { fileName: 'a.csv', content: Buffer.from('a'), header: ['a'] };
    await client.query('BEGIN');
    const id = await saveUpload(client, { ...table, accountId, person: 'ann', settings });
    await client.query('COMMIT');
    return id;
  };
  const ids: number[] = [];
  while (ids.length < MAX_UPLOADS) ids.push(await save());
  // Without batches that wait, an upload without its file is sent.
  for (const id of ids.slice(3, 6)) await forgetContent(client, id);
  ids.push(await save(), await save());
  const kept = (await listUploads(client, accountId)).map(({ id }) => id);
  expect(kept.toReversed()).toEqual(ids.filter((_, at) => at !== 3 && at !== 4));
});
