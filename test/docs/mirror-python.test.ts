/** The Python program of docs/streaming.md, exactly as printed there. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { parseCursor } from '../../schemas/cursor.ts';
import { endorse, withdraw } from '../helpers/ballots/submissions.ts';
import { answerError, answerLines, type FakeAnswer, FakeService } from '../helpers/clients/fake-service.ts';
import { TcpProxy } from '../helpers/faults/tcp-proxy.ts';
import { readPages } from '../helpers/http/paging.ts';
import { findProgram } from '../helpers/servers/find-program.ts';
import { useTestService } from '../helpers/service/service.ts';
import { until } from '../helpers/until.ts';
import { useFolder } from '../helpers/use-folder.ts';

const RETENTION_MS = 5000;
const PROGRAM = path.resolve('docs/examples/mirror.py');
const testPython = findProgram('python3') === null ? test.skip : test;

const service = useTestService({ retentionMs: RETENTION_MS });
const inFolder = useFolder();
let switchboard: TcpProxy;
let program: ChildProcess | undefined;
let changes = 0;

beforeAll(async () => {
  switchboard = await TcpProxy.open(service.gateways[0]?.port ?? 0);
});
afterEach(stop);
afterAll(() => switchboard.close());

function start(baseUrl = switchboard.address): void {
  const env = { PATH: process.env.PATH, BASE_URL: baseUrl, API_KEY: service.key };
  program = spawn('python3', [PROGRAM, inFolder('mirror.sqlite')], { env, stdio: 'ignore' });
}

async function stop(): Promise<void> {
  if (!program) return;
  const ended = once(program, 'exit');
  program.kill('SIGKILL');
  await ended;
  program = undefined;
}

interface Held {
  id: number;
  endorser: { slug: string };
  choice: { label: string };
  statement: string | null;
}

const shown = ({ id, endorser, choice, statement }: Held) => [id, endorser.slug, choice.label, statement];
/** The file's endorsements by id, and its position; undefined before the first list. @throws if there are no tables yet */
function readMirror(): { cursor: string | undefined; endorsements: Record<number, Held> } {
  const database = new DatabaseSync(inFolder('mirror.sqlite'), { timeout: 10_000 });
  try {
    const position = database.prepare('SELECT cursor FROM position').get();
    const rows = database.prepare('SELECT id, record FROM endorsements').all();
    const endorsements = Object.fromEntries(rows.map(({ id, record }) => [id, JSON.parse(String(record))]));
    return { cursor: position?.cursor?.toString(), endorsements };
  } finally {
    database.close();
  }
}

function readCursor(): string | undefined {
  try {
    return readMirror().cursor;
  } catch {
    return undefined;
  }
}

/** Makes, changes and withdraws endorsements, and waits until all of it is on the stream. */
async function change(round: number): Promise<void> {
  const of = (key: string) =>
    endorse('bakers-local-1', 'council', key, { statement: `Round ${round}: “sí”.` });
  await service.submit([of('ann'), of('bob'), withdraw('bakers-local-1', 'council', 'ann')]);
  changes += 3;
  await service.eventsOnceThereAre(changes);
}

async function expectMirror(): Promise<void> {
  await until('the mirror to follow', () => {
    const cursor = readCursor();
    return cursor !== undefined && parseCursor(cursor).sequence === changes;
  });
  const { endorsements } = readMirror();
  const list: Held[] = await readPages(service, '/v1/endorsements', 3);
  expect(Object.values<Held>(endorsements).map(shown).sort()).toEqual(list.map(shown).sort());
}

testPython('it mirrors /v1/endorsements, through cuts, a killed client and an expired cursor', async () => {
  await change(1);
  start();
  await expectMirror();
  await change(2);
  await expectMirror();
  expect(switchboard.cut()).toBeGreaterThan(0);
  await change(3);
  await expectMirror();

  await stop();
  await change(4);
  start();
  await expectMirror();

  await stop();
  const { cursor } = readMirror();
  const expired = async () => (await service.get(`/v1/events?cursor=${cursor}`)).status === 410;
  await change(5);
  await until('the cursor to expire', expired, 30_000);
  start();
  await expectMirror();
});

/** The bytes that a process has written; 0 outside of Linux. */
async function readWritten(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/io`, 'utf8').catch(() => '');
  return Number(/^wchar: (\d+)$/m.exec(text)?.[1] ?? 0);
}

/** Removes the copy of a program that was killed, with what SQLite left of its last transaction. */
async function removeMirror(): Promise<void> {
  for (const suffix of ['', '-journal']) await rm(inFolder(`mirror.sqlite${suffix}`), { force: true });
}

const list = (cursor: string, id: number) => answerLines([{ stream_cursor: cursor }, { id }, { count: 1 }]);
const stream =
  (frames: string, isOver: boolean): FakeAnswer =>
  (response) => {
    response.write(frames);
    if (isOver) response.end();
  };

/** Starts the program anew, and expects it to have the list of the cursor `two` after these answers. */
async function expectSecondList(...answers: FakeAnswer[]): Promise<void> {
  const fake = await FakeService.start(...answers, list('two', 2), stream(': ping\n\n', false));
  try {
    await stop();
    await removeMirror();
    start(fake.baseUrl);
    await until('it has the second list', () => readCursor() === 'two', 20_000);
    expect(readMirror()).toEqual({ cursor: 'two', endorsements: { 2: { id: 2 } } });
  } finally {
    await fake.stop();
  }
}

testPython('it writes what a change changes, and not the whole copy', async () => {
  const [records, frames] = [2000, 200];
  const large = Array.from({ length: records }, (_, id) => ({ id, statement: 'x'.repeat(1000) }));
  const checkpoint = (at: number) => `event: checkpoint\nid: ${at}\ndata: {}\n\n`;
  const all = Array.from({ length: frames }, (_, index) => checkpoint(index + 1)).join('');
  const lines = answerLines([{ stream_cursor: '0' }, ...large, { count: records }]);
  const fake = await FakeService.start(lines, stream(all, false));
  try {
    await removeMirror();
    start(fake.baseUrl);
    await until('it has the last frame', () => readCursor() === String(frames));
    const written = await readWritten(program?.pid ?? 0);
    expect(written).toBeLessThan((frames / 10) * JSON.stringify(large).length);
  } finally {
    await fake.stop();
  }
});

testPython('it reads the list again when the stream says that it lacks a change', async () => {
  const ready = 'event: ready\nid: one\ndata: {}\n\n';
  const error = 'event: error\nid: one\ndata: {"code":"cursor_expired","message":"A change is lost."}\n\n';
  await expectSecondList(list('one', 1), stream(ready + error, true));
});

testPython(
  'it asks again after a list that is cut before its first line, and after a proxy has named a time',
  async () => {
    const busy = answerError(503, 'busy', { 'Retry-After': new Date().toUTCString() });
    await expectSecondList(answerLines([]), busy);
  },
);
