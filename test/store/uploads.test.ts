import { expect, test } from '@jest/globals';
import { TooManyFilesError } from '../../store/console/make-room.ts';
import { readPieces } from '../../store/console/pieces.ts';
import {
  addBatch,
  changeUpload,
  deleteUpload,
  findNextBatch,
  findUpload,
  forgetContent,
  forgetOldUploads,
  KEPT_DAYS,
  listBatches,
  listUndoings,
  listUploads,
  MAX_UPLOADS,
  markPublished,
  stopUpload,
} from '../../store/console/uploads.ts';
import { createAccount } from '../helpers/postgres/accounts.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { saveTable } from '../helpers/postgres/uploads.ts';

const { client } = useTestDatabase();

test('of the uploads that are sent, the oldest makes room for a new one, and drafts stay', async () => {
  const [accountId, neighbour] = [await createAccount(client), await createAccount(client)];
  const save = (account = accountId) => saveTable(client, account);
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
  const save = async (undoing?: { content: null; undoes: number }) => {
    const id = await saveTable(client, accountId, undoing);
    for (const ordinal of [1, 2]) await addBatch(client, id, { ordinal, submissions: '[]', count: 3 });
    await stopUpload(client, id);
    await markPublished(client, id, { ordinal: 2, count: 3, publicationId: 7 });
    return id;
  };
  const table = await save();
  expect(await listBatches(client, table)).toEqual([{ ordinal: 2, count: 3, publicationId: 7 }]);
  const undoing = await save({ content: null, undoes: table });
  expect(await findUpload(client, { accountId, id: undoing })).toBeNull();
  expect(await listBatches(client, undoing)).toEqual([]);
});

test('an undoing that is stopped stays if a part of it is sent, and the newest undoing comes first', async () => {
  const accountId = await createAccount(client);
  const table = await saveTable(client, accountId);
  const undoings: number[] = [];
  for (const _ of [1, 2]) undoings.push(await saveTable(client, accountId, { content: null, undoes: table }));
  for (const id of undoings) {
    for (const ordinal of [1, 2]) await addBatch(client, id, { ordinal, submissions: '[]', count: 3 });
    await markPublished(client, id, { ordinal: 1, count: 3, publicationId: 7 });
    await stopUpload(client, id);
    expect(await listBatches(client, id)).toEqual([{ ordinal: 1, count: 3, publicationId: 7 }]);
  }
  expect((await listUndoings(client, { id: table })).map(({ id }) => id)).toEqual(undoings.toReversed());
});

test('a file is read whole, in pieces, until its batches are made', async () => {
  const accountId = await createAccount(client);
  const content = Buffer.alloc(200_000, 'abcdefg');
  const id = await saveTable(client, accountId, { content });
  const read = async () => {
    const pieces: Buffer[] = [];
    for await (const piece of readPieces(client, 'uploads', id)) pieces.push(piece);
    return pieces;
  };
  const pieces = await read();
  expect([Buffer.concat(pieces).equals(content), pieces.length]).toEqual([true, 4]);
  expect(await findUpload(client, { accountId, id })).toMatchObject({ state: 'draft' });
  await forgetContent(client, id);
  expect(await read()).toEqual([]);
});

test('what people decide about an upload is kept with it, and changes no other', async () => {
  const accountId = await createAccount(client);
  const [id, other] = [await saveTable(client, accountId), await saveTable(client, accountId)];
  const settings = { map: ['a=choice'], endorser: 'acme', election: null, isWhole: true };
  const decisions = { 2: { decision: 'no', endorser: null } };
  await changeUpload(client, id, { settings, decisions });
  expect(await findUpload(client, { accountId, id })).toMatchObject({ settings, decisions });
  expect((await findUpload(client, { accountId, id: other }))?.decisions).toEqual({});
});

test('the batches of an upload are sent in their order, each until it is noted', async () => {
  const accountId = await createAccount(client);
  const [id, other] = [await saveTable(client, accountId), await saveTable(client, accountId)];
  for (const ordinal of [2, 1, 3])
    await addBatch(client, id, { ordinal, submissions: `[${ordinal}]`, count: 5 });
  await addBatch(client, other, { ordinal: 1, submissions: '[9]', count: 1 });
  await forgetContent(client, id);
  const stateOf = async () => (await findUpload(client, { accountId, id }))?.state;
  for (const ordinal of [1, 2, 3]) {
    expect([await stateOf(), await findNextBatch(client, id)]).toMatchObject([
      'sending',
      { ordinal, submissions: `[${ordinal}]`, count: 5 },
    ]);
    await markPublished(client, id, { ordinal, count: 5, publicationId: 100 + ordinal });
  }
  expect([await stateOf(), await findNextBatch(client, id)]).toEqual(['sent', null]);
  expect(await listBatches(client, id)).toEqual(
    [1, 2, 3].map((ordinal) => ({ ordinal, count: 5, publicationId: 100 + ordinal })),
  );
  expect(await findNextBatch(client, other)).toMatchObject({ submissions: '[9]' });
  const { rows } = await client.query('SELECT submissions FROM upload_batches WHERE upload_id = $1', [id]);
  expect(rows.map(({ submissions }) => submissions)).toEqual(['', '', '']);
});

test('an upload is deleted by its account alone, and forgotten some days after its last change', async () => {
  const [accountId, stranger] = [await createAccount(client), await createAccount(client)];
  const [first, second, third] = [
    await saveTable(client, accountId),
    await saveTable(client, accountId),
    await saveTable(client, accountId),
  ];
  const held = async () => (await listUploads(client, accountId)).map(({ id }) => id);
  await deleteUpload(client, { accountId: stranger, id: first, state: 'draft' });
  await deleteUpload(client, { accountId, id: first, state: 'sent' });
  expect(await held()).toEqual([third, second, first]);
  await deleteUpload(client, { accountId, id: first, state: 'draft' });
  await client.query(`UPDATE uploads SET changed_at = now() - $2 * interval '1 day' WHERE account_id = $1`, [
    accountId,
    KEPT_DAYS + 0.01,
  ]);
  await forgetContent(client, third);
  await forgetOldUploads(client);
  expect(await held()).toEqual([third]);
});

test('an undoing stays beside its upload, and needs room as a draft does', async () => {
  const accountId = await createAccount(client);
  const table = await saveTable(client, accountId);
  await addBatch(client, table, { ordinal: 1, submissions: '[]', count: 1 });
  await markPublished(client, table, { ordinal: 1, count: 1, publicationId: 1 });
  await forgetContent(client, table);
  while ((await listUploads(client, accountId)).length < MAX_UPLOADS - 1) await saveTable(client, accountId);
  const undoing = await saveTable(client, accountId, { content: null, undoes: table });
  expect((await listUndoings(client, { id: table })).map(({ id, undoes }) => [id, undoes])).toEqual([
    [undoing, table],
  ]);
  expect(await findUpload(client, { accountId, id: undoing })).toMatchObject({ state: 'sent' });
  // The undone table makes no room for another undoing of it; a new table takes its place.
  await client.query('DELETE FROM uploads WHERE id = $1', [undoing]);
  await saveTable(client, accountId);
  await expect(saveTable(client, accountId, { content: null, undoes: table })).rejects.toThrow(
    TooManyFilesError,
  );
  expect(await findUpload(client, { accountId, id: table })).not.toBeNull();
  await saveTable(client, accountId);
  expect(await findUpload(client, { accountId, id: table })).toBeNull();
});

/** Saves as many uploads as an account may have. @returns their ids, the oldest first */
async function fill(accountId: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < MAX_UPLOADS) ids.push(await saveTable(client, accountId));
  return ids;
}

test('the undoing of the oldest of many uploads that are sent makes room among the others', async () => {
  const accountId = await createAccount(client);
  const ids = await fill(accountId);
  for (const id of ids) await forgetContent(client, id);
  const [oldest = 0, second, ...others] = ids;
  const undoing = await saveTable(client, accountId, { content: null, undoes: oldest });
  const kept = (await listUploads(client, accountId)).map(({ id }) => id);
  expect(kept.toReversed()).toEqual([oldest, ...others, undoing]);
  expect(kept).not.toContain(second);
});

test('nothing makes room for an undoing if all others are drafts', async () => {
  const accountId = await createAccount(client);
  const ids = await fill(accountId);
  const [oldest = 0] = ids;
  await forgetContent(client, oldest);
  const undoing = saveTable(client, accountId, { content: null, undoes: oldest });
  await expect(undoing).rejects.toThrow(TooManyFilesError);
  expect((await listUploads(client, accountId)).map(({ id }) => id).toReversed()).toEqual(ids);
});
