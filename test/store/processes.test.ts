import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import os from 'node:os';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Stoppable } from '../../service/lifecycle.ts';
import { startHeartbeat } from '../../store/processes/heartbeat.ts';
import { listProcesses, type ProgramState, writeProcess } from '../../store/processes/process-list.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { usePool, useTestDatabase } from '../helpers/postgres/database.ts';
import { type CapturedLog, captureLog } from '../helpers/service/captured-log.ts';
import { until } from '../helpers/until.ts';

const database = useTestDatabase();
const { client } = database;
let way: TcpProxy;
/** The console reads with a pool. */
const readers = usePool(database.url);
const started = new Set<Stoppable>();

beforeAll(async () => {
  way = await TcpProxy.open(database.url);
});
afterAll(() => way.close());
afterEach(async () => {
  way.mend();
  const left = [...started];
  started.clear();
  await Promise.all(left.map((each) => each.stop()));
  await client.query('TRUNCATE processes');
});

/** A process's description of itself, which a test can change. */
interface Said {
  state: ProgramState;
  obstacle: string | null;
  failure: Error | null;
}

function start(
  program: 'gateway' | 'consumers' = 'gateway',
  { beatMs = 20, obstacle = null }: { beatMs?: number; obstacle?: string | null } = {},
): {
  beat: Stoppable;
  said: Said;
  log: CapturedLog;
} {
  const gateway: ProgramState = { program: 'gateway', details: { port: 8080, openStreams: 2, behindMs: 3 } };
  const consumers: ProgramState = { program: 'consumers', details: { roles: ['apply'], leads: [] } };
  const said: Said = { state: program === 'gateway' ? gateway : consumers, obstacle, failure: null };
  const log = captureLog();
  const describe = async () => {
    if (said.failure) throw said.failure;
    return { ...said.state, obstacle: said.obstacle };
  };
  const beat = startHeartbeat({ databaseUrl: way.url, describe, log: log.log, beatMs });
  started.add(beat);
  return { beat, said, log };
}

async function stop(beat: Stoppable): Promise<void> {
  started.delete(beat);
  await beat.stop();
}

const untilListed = (count: number) =>
  until(`${count} processes are listed`, async () => (await listProcesses(readers)).length === count);

test('a process describes itself, and follows its state', async () => {
  const { said } = start();
  await untilListed(1);
  const [listed] = await listProcesses(readers);
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(listed).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    program: 'gateway',
    host: os.hostname(),
    pid: process.pid,
    version,
    startedAt: expect.any(Date),
    seenAt: expect.any(Date),
    obstacle: null,
    notReadySince: null,
    state: 'ready',
    details: { port: 8080, openStreams: 2, behindMs: 3 },
  });
  said.obstacle = 'The database does not answer.';
  said.state = { program: 'gateway', details: { port: 8080, openStreams: 7, behindMs: 0 } };
  await until('it has changed', async () => (await listProcesses(readers))[0]?.state === 'not_ready');
  const [changed] = await listProcesses(readers);
  expect(changed).toMatchObject({
    id: listed?.id,
    startedAt: listed?.startedAt,
    obstacle: 'The database does not answer.',
    details: { openStreams: 7 },
  });
});

test('a process is not ready since its first obstacle, whatever comes after it, until it is ready again', async () => {
  const { said } = start();
  const look = async () => (await listProcesses(readers))[0];
  const becomes = (obstacle: string | null) => {
    said.obstacle = obstacle;
    return until(`the obstacle is ${obstacle}`, async () => (await look())?.obstacle === obstacle);
  };
  const since = async () => (await look())?.notReadySince?.getTime() ?? 0;
  await becomes('One.');
  const first = await since();
  const seen = (await look())?.seenAt.getTime() ?? 0;
  expect(first).toBeLessThanOrEqual(seen);
  await becomes('Another.');
  await until('time has passed', async () => ((await look())?.seenAt.getTime() ?? 0) > seen + 100);
  expect(Math.abs((await since()) - first)).toBeLessThan(100);
  await becomes(null);
  expect(await since()).toBe(0);
  await becomes('One.');
  expect(await since()).toBeGreaterThan(seen);
});

test('a start is shown as ready as soon as it is, long before the next beat of a ready process', async () => {
  const { said } = start('gateway', { beatMs: 60 * 60_000, obstacle: 'It starts.' });
  await until('it starts', async () => (await listProcesses(readers))[0]?.obstacle === 'It starts.');
  said.obstacle = null;
  await until('it is ready', async () => (await listProcesses(readers))[0]?.state === 'ready');
});

test('processes are listed by program and age, without stopped ones', async () => {
  start('consumers');
  await untilListed(1);
  const older = start();
  await untilListed(2);
  start();
  await untilListed(3);
  const [first, second, third] = await listProcesses(readers);
  expect([first?.program, second?.program, third?.program]).toEqual(['gateway', 'gateway', 'consumers']);
  await stop(older.beat);
  expect((await listProcesses(readers)).map(({ id }) => id)).toEqual([second?.id, third?.id]);
});

test('a process is gone after a minute without a beat, and deleted after an hour', async () => {
  await client.query(
    `INSERT INTO processes (id, program, host, pid, version, started_at, seen_at, obstacle, details)
     SELECT gen_random_uuid(), 'gateway', seconds::text, 1, '0', now(), now() - seconds * interval '1 second', NULL, '{}'
     FROM unnest(ARRAY[50, 70, 3500, 3700]) AS seconds`,
  );
  const states = async () => (await listProcesses(readers)).map(({ host, state }) => [host, state]);
  expect((await states()).sort()).toEqual([
    ['3500', 'gone'],
    ['50', 'ready'],
    ['70', 'gone'],
  ]);
  start('consumers');
  await until('the oldest is deleted', async () => {
    const { rows } = await client.query('SELECT host FROM processes ORDER BY 1');
    return !rows.some(({ host }) => host === '3700') && rows.length === 4;
  });
});

test('a process that runs again in its container replaces its former self, unless that still reports', async () => {
  const gateway = { program: 'gateway', details: { port: 1, openStreams: 0, behindMs: 0 } } as const;
  const me = { ...gateway, version: '1', ageMs: 0, obstacle: null, notReadyMs: null };
  const write = (host: string, pid: number) => writeProcess(client, { ...me, id: randomUUID(), host, pid });
  await write('a', 1);
  await write('a', 2);
  await write('b', 1);
  await client.query(`UPDATE processes SET seen_at = seen_at - interval '70 seconds'`);
  await write('a', 1);
  await write('a', 1);
  const listed = await listProcesses(client);
  expect(listed.map(({ host, pid, state }) => `${host} ${pid} ${state}`).sort()).toEqual([
    'a 1 ready',
    'a 1 ready',
    'a 2 gone',
    'b 1 gone',
  ]);
});

test('an outage of the database is logged once, and the row is written after it', async () => {
  const { log } = start();
  await untilListed(1);
  way.sever();
  await client.query('TRUNCATE processes');
  const messages = (level: string) => log.lines.filter((line) => line.level === level).map(({ msg }) => msg);
  await until('several beats have failed', () => messages('debug').length > 2);
  expect(messages('warn')).toEqual([
    'the row about this process cannot be written; trying again (the database does not answer)',
  ]);
  way.mend();
  await untilListed(1);
});

test('a defect in the description is logged, and beats continue', async () => {
  const { said, log } = start();
  said.failure = new TypeError('No.');
  await until('it is logged', () => log.lines.some(({ level }) => level === 'error'));
  said.failure = null;
  said.obstacle = 'Later.';
  await until('it is written', async () => (await listProcesses(readers))[0]?.obstacle === 'Later.');
});

test('a silent database does not delay a stop for long', async () => {
  const { beat } = start();
  await untilListed(1);
  way.silence();
  const begun = performance.now();
  await stop(beat);
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test('a process that could not write for hours is listed again, with its own start, and forgets others', async () => {
  const me = { host: 'a', pid: 1, version: '1', obstacle: null, notReadyMs: null, ageMs: 9_000_000 };
  const consumers = { program: 'consumers', details: { roles: ['apply'], leads: [] } } as const;
  const [mine, theirs] = ['00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002'];
  for (const id of [mine, theirs]) await writeProcess(client, { ...me, ...consumers, id });
  await client.query(`UPDATE processes SET seen_at = seen_at - interval '2 hours'`);
  const { rows: before } = await client.query('SELECT started_at FROM processes WHERE id = $1', [mine]);
  await writeProcess(client, { ...me, ...consumers, id: mine, ageMs: 9_100_000 });
  const { rows: after } = await client.query('SELECT id, started_at FROM processes');
  expect(after).toEqual([{ id: mine, ...before[0] }]);
});

test('a process that stops during its first beat leaves no row', async () => {
  const { beat } = start();
  started.delete(beat);
  await beat.stop();
  expect(await listProcesses(client)).toEqual([]);
});
