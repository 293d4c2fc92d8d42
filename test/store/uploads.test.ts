import { expect, test } from '@jest/globals';
import {
  addBatch,
  findUpload,
  forgetContent,
  listBatches,
  listUploads,
  MAX_UPLOADS,
  markPublished,
  saveUpload,
  stopUpload,
} from '../../store/console/uploads.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();

test('of the uploads that are sent, the oldest makes room for a new one, and drafts stay', async () => {
  const [accountId, neighbour] = [await createAccount(client), await createAccount(client)];
  const settings = { map: [], endorser: null, election: null, isWhole: false };
  const save = async (account = accountId) => {
    const table = { fileName: 'a.csv', content: Buffer.from('a'), header: ['a'] };
    await client.query('BEGIN');
    const id = await saveUpload(client, { ...table, accountId: account, person: 'ann', settings });
    await client.query('COMMIT');
    return id;
  };
  const theirs: number[] = [];
  while (theirs.length < MAX_UPLOADS) theirs.push(await save(neighbour));
  for (const id of theirs.slice(1)) await forgetContent(client, id);
  const ids: number[] = [];
  while (ids.length < MAX_UPLOADS) ids.push(await save());
  // Without batches that wait, an upload without its file is sent.
  for (const id of ids.slice(3, 6)) await forgetContent(client, id);
  ids.push(await save(), await save());
  const kept = (await listUploads(client, accountId)).map(({ id }) => id);
  expect(kept.toReversed()).toEqual(ids.filter((_, at) => at !== 3 && at !== 4));
  expect((await listUploads(client, neighbour)).map(({ id }) => id).toReversed()).toEqual(theirs);
  expect(await findUpload(client, { accountId, id: theirs[0] ?? 0 })).toBeNull();
});

test('a batch that is published while somebody stops its upload is remembered, unless the upload was deleted', async () => {
  const accountId = await createAccount(client);
  const settings = { map: [], endorser: null, election: null, isWhole: false };
  const save = async (undoes: number | null) => {
    const table = { fileName: 'a.csv', header: ['a'], accountId, person: 'ann', settings };
    const kind = undoes === null ? { content: Buffer.from('a') } : { content: null, undoes };
    await client.query('BEGIN');
    const id = await saveUpload(client, { ...table, ...kind });
    await client.query('COMMIT');
    for (const ordinal of [1, 2]) await addBatch(client, id, { ordinal, submissions: '[]', count: 3 });
    await stopUpload(client, id);
    await markPublished(client, id, { ordinal: 2, count: 3, publicationId: 7 });
    return id;
  };
  const table = await save(null);
  expect(await listBatches(client, table)).toEqual([{ ordinal: 2, count: 3, publicationId: 7 }]);
  const undoing = await save(table);
  expect(await findUpload(client, { accountId, id: undoing })).toBeNull();
  expect(await listBatches(client, undoing)).toEqual([]);
});
