import { beforeEach, expect, test } from '@jest/globals';
import type pg from 'pg';
import { listReplicas, loadUsableReplicas, ReplicaRegistry } from '../../store/replicas/registry.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { overlap } from '../helpers/postgres/overlap.ts';

const { client, url } = useTestDatabase();
const pool = usePool(url);
const ONE = { instance: 'run-1', name: 'replica:5432' };
const TWO = { instance: 'run-2', name: 'other:5432' };
let registry: ReplicaRegistry;

/** The runs that gateways may read from. */
const usable = async () => (await loadUsableReplicas(client as unknown as pg.Pool)).sort();
const age = (column: string, interval: string) =>
  client.query(`UPDATE read_replicas SET ${column} = clock_timestamp() - $1::interval`, [interval]);

beforeEach(async () => {
  await client.query('TRUNCATE read_replicas');
  ({ registry } = await ReplicaRegistry.begin(client));
});

test('a run that was taken out of use is read again once it is admitted again', async () => {
  await registry.admit(ONE);
  await registry.admit(TWO);
  await registry.exclude(['run-1']);
  expect(await usable()).toEqual(['run-2']);
  await registry.admit({ ...ONE, name: 'moved:5432' });
  expect(await usable()).toEqual(['run-1', 'run-2']);
  expect(await listReplicas(client)).toContainEqual({ instance: 'run-1', name: 'moved:5432', inUse: true });
});

test('runs are read only while a process confirms them, and not at all while out of use', async () => {
  await registry.admit(ONE);
  await registry.admit(TWO);
  await registry.exclude(['run-1']);
  await age('confirmed_at', '11 seconds');
  expect(await usable()).toEqual([]);
  await registry.confirm();
  expect(await usable()).toEqual(['run-2']);
  await registry.admit(ONE);
  expect(await usable()).toEqual(['run-1', 'run-2']);
});

test('a former leader cannot raise the mark, or admit, exclude and confirm runs', async () => {
  // The next leader waits for what the former one has begun.
  const { known } = await overlap(
    pool,
    (former) => registry.on(former as pg.Client).admit(ONE),
    (next) => ReplicaRegistry.begin(next as pg.Client),
  );
  expect(known).toEqual([{ ...ONE, inUse: true }]);
  await age('confirmed_at', '11 seconds');
  for (const write of [
    () => registry.raise(),
    () => registry.admit(TWO),
    () => registry.exclude(['run-1']),
    () => registry.confirm(),
  ]) {
    await expect(write()).rejects.toHaveProperty('name', 'SupersededError');
  }
  expect(await listReplicas(client)).toEqual(known);
  expect(await usable()).toEqual([]);
});

test('each mark is higher than the one before, and a new leader counts from one', async () => {
  expect([await registry.raise(), await registry.raise(), await registry.raise()]).toEqual([1, 2, 3]);
  const { registry: next } = await ReplicaRegistry.begin(client);
  expect(next.lineage).not.toBe(registry.lineage);
  expect([await next.raise(), await next.on(client).raise()]).toEqual([1, 2]);
});

test('the list has the runs in use first, and the latest change first, without those unused for a day', async () => {
  for (const instance of ['a', 'b', 'c', 'd', 'e', 'f'])
    await registry.admit({ instance, name: `${instance}:5432` });
  for (const instance of ['a', 'd', 'f']) await registry.exclude([instance]);
  // Nobody changed these for a day: one is in use, and one is not.
  await client.query(
    `UPDATE read_replicas SET changed_at = clock_timestamp() - interval '25 hours' WHERE instance IN ('c', 'f')`,
  );
  // A run that returns is the one that changed last.
  await registry.admit({ instance: 'b', name: 'b:5432' });
  const listed = await listReplicas(client);
  expect(listed.map(({ instance, inUse }) => [instance, inUse])).toEqual([
    ['b', true],
    ['e', true],
    ['c', true],
    ['d', false],
    ['a', false],
  ]);
});

test('an exclusion forgets runs that were out of use for a day, and no others', async () => {
  await registry.admit(ONE);
  await registry.admit(TWO);
  await registry.exclude(['run-1']);
  await age('changed_at', '25 hours');
  await registry.exclude([]);
  const { rows } = await client.query('SELECT instance FROM read_replicas');
  expect(rows).toEqual([{ instance: 'run-2' }]);
});
