import { expect, test } from '@jest/globals';
import {
  forgetContent,
  listUploads,
  MAX_UPLOADS,
  saveUpload,
  TooManyUploadsError,
} from '../../store/console/uploads.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';

const { client } = useTestDatabase();
const settings = { map: [], endorser: null, election: null, isWhole: false };
const upload = { fileName: 'a.csv', header: ['a'], person: 'ann', settings };

/** Saves as many uploads as an account may have. @returns their ids, the oldest first */
async function fill(accountId: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < MAX_UPLOADS)
    ids.push(await saveUpload(client, { ...upload, accountId, content: Buffer.from('a') }));
  return ids;
}

test('the undoing of the oldest of many uploads that are sent makes room among the others', async () => {
  const accountId = await createAccount(client);
  const ids = await fill(accountId);
  for (const id of ids) await forgetContent(client, id);
  const [oldest = 0, second, ...others] = ids;
  const undoing = await saveUpload(client, { ...upload, accountId, content: null, undoes: oldest });
  const kept = (await listUploads(client, accountId)).map(({ id }) => id);
  expect(kept.toReversed()).toEqual([oldest, ...others, undoing]);
  expect(kept).not.toContain(second);
});

test('nothing makes room for an undoing if all others are drafts', async () => {
  const accountId = await createAccount(client);
  const ids = await fill(accountId);
  const [oldest = 0] = ids;
  await forgetContent(client, oldest);
  const undoing = saveUpload(client, { ...upload, accountId, content: null, undoes: oldest });
  await expect(undoing).rejects.toThrow(TooManyUploadsError);
  expect((await listUploads(client, accountId)).map(({ id }) => id).toReversed()).toEqual(ids);
});
