import { expect, test } from '@jest/globals';
import type { QueryResult } from 'pg';
import { rebuildStream } from '../../ops/stream/rebuild.ts';
import { beginGeneration, beginRun, completeGeneration } from '../../store/stream/generation.ts';
import { createIo } from '../helpers/commands/command-io.ts';
import { useTestDatabase } from '../helpers/postgres/database.ts';
import { until } from '../helpers/until.ts';

const { client } = useTestDatabase();

/** How often the command has looked at the progress of the relay. */
let looks = 0;

/** The command's connection, which counts its looks. */
const watched = {
  async query(...args: [string]): Promise<QueryResult> {
    if (args[0].includes('rebuilt_runs')) looks += 1;
    return client.query(...args);
  },
};

test('the changes are counted although the command looks before the relay has written one', async () => {
  const io = createIo({});
  const rebuilding = rebuildStream(watched as typeof client, io);
  await until('the command has asked', async () => {
    const { rows } = await client.query('SELECT is_requested FROM stream_generation');
    return rows[0].is_requested;
  });
  await beginGeneration(client, { topicId: 'another', after: 30, isComplete: false });
  await until('the command has looked', () => looks > 1);
  const { rows } = await client.query('SELECT generation::int FROM stream_generation');
  const [{ generation }] = rows;
  await beginRun(client, generation, { first: 11, last: 30, offsets: [0] });
  await completeGeneration(client, generation);
  await rebuilding;
  expect(io.printed).toEqual([`20 changes were written again, as generation ${generation} of the stream.`]);
});
