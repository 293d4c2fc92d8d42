import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { AnswerMemory } from '../../../gateway/answers/answer-memory.ts';
import { encodeContent } from '../../../gateway/http/content.ts';
import { RepeatedContent } from '../../../gateway/http/repeated-content.ts';
import { SharedRuns } from '../../../service/shared-runs.ts';
import type { DataPart } from '../../../store/reads/data-versions.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

let clock: ManualClock;
let versions: Record<DataPart, string>;
let lookups: number;
let made: string[];

beforeEach(() => {
  clock = new ManualClock();
  versions = { endorsements: '1', catalogue: '1', officeholders: '1' };
  lookups = 0;
  made = [];
});

const dataVersion = new SharedRuns(async () => {
  lookups += 1;
  return { ...versions };
});

function createMemory({ maxBytes = 1_000_000, retentionMs = WEEK_MS } = {}): AnswerMemory {
  return new AnswerMemory({ maxBytes, retentionMs, clock });
}

/** Asks for an answer that shows the catalogue. */
async function answer(memory: AnswerMemory, name: string, json: string) {
  const question = { name, shows: ['catalogue' as const], dataVersion, isGone: () => false };
  const reply = await memory.answer(question, async () => ({ json }));
  if (!('json' in reply) || !(reply.json instanceof RepeatedContent)) throw new Error('It cannot be kept.');
  return { json: reply.json };
}

/** Asks for an answer of `bytes` bytes. Returns whether it had to be made. */
async function isMade(
  memory: AnswerMemory,
  name: string,
  { shows = ['catalogue'] as DataPart[], bytes = 10, isGone = false, whileMade = () => {} } = {},
): Promise<boolean> {
  const before = made.length;
  await memory.answer({ name, shows, dataVersion, isGone: () => isGone }, async () => {
    made.push(name);
    whileMade();
    return { json: 'x'.repeat(bytes) };
  });
  return made.length > before;
}

test('an answer is reused unchanged while the data is unchanged', async () => {
  const memory = createMemory();
  const ask = (json: string) => answer(memory, '/a?', json);
  const first = await ask('first');
  expect(first).toMatchObject({ json: encodeContent('first') });
  expect((await ask('second')).json).toBe(first.json);
  expect(lookups).toBe(2);
});

test('INV-1: an answer is made anew after a change of any part that it shows, and only then', async () => {
  const memory = createMemory();
  const shows: DataPart[] = ['catalogue', 'endorsements'];
  expect(await isMade(memory, '/a?', { shows })).toBe(true);
  versions.officeholders = '2';
  expect(await isMade(memory, '/a?', { shows })).toBe(false);
  for (const part of shows) {
    versions[part] = '2';
    expect(await isMade(memory, '/a?', { shows })).toBe(true);
    expect(await isMade(memory, '/a?', { shows })).toBe(false);
  }
});

test('INV-1: a change while an answer is made makes the answer outdated', async () => {
  const memory = createMemory();
  const change = () => {
    versions.catalogue = '2';
  };
  expect(await isMade(memory, '/a?', { whileMade: change })).toBe(true);
  expect(await isMade(memory, '/a?')).toBe(true);
  expect(await isMade(memory, '/a?')).toBe(false);
});

test('an answer is reused for a minute, and never on another day', async () => {
  const memory = createMemory();
  await isMade(memory, '/a?');
  await clock.advance(59_999);
  expect(await isMade(memory, '/a?')).toBe(false);
  await clock.advance(1);
  expect(await isMade(memory, '/a?')).toBe(true);
  const midnight = Date.parse('2026-11-04T00:00:00Z');
  await clock.advance(midnight - 1000 - clock.now());
  expect(await isMade(memory, '/a?')).toBe(true);
  await clock.advance(1000);
  expect(await isMade(memory, '/a?')).toBe(true);
});

test('an answer that may be incomplete or is large is not kept', async () => {
  const memory = createMemory({ maxBytes: 10_000_000 });
  expect(await isMade(memory, '/cut?', { isGone: true })).toBe(true);
  expect(await isMade(memory, '/cut?')).toBe(true);
  for (let round = 0; round < 2; round += 1)
    expect(await isMade(memory, '/large?', { bytes: 1024 * 1024 + 1 })).toBe(true);
});

test('keeps the most recently used answers within its bytes', async () => {
  const memory = createMemory({ maxBytes: 250_000 });
  const bytes = 90_000;
  await isMade(memory, '/a?', { bytes });
  await isMade(memory, '/b?', { bytes });
  await isMade(memory, '/a?', { bytes });
  await isMade(memory, '/c?', { bytes });
  expect(await isMade(memory, '/a?', { bytes })).toBe(false);
  expect(await isMade(memory, '/c?', { bytes })).toBe(false);
  expect(await isMade(memory, '/b?', { bytes })).toBe(true);
});

test('the compressed forms of an answer count as its memory', async () => {
  const memory = createMemory({ maxBytes: 250_000 });
  // Texts that hardly become smaller.
  const [first, second] = ['/a?', '/b?'].map((name) => ({ name, json: randomBytes(45_000).toString('hex') }));
  if (!first || !second) throw new Error('There are two.');
  const { json } = await answer(memory, first.name, first.json);
  await answer(memory, second.name, second.json);
  expect(await isMade(memory, first.name)).toBe(false);
  await json.encode('gzip');
  expect(await isMade(memory, first.name)).toBe(false);
  await json.encode('br');
  expect(await isMade(memory, first.name)).toBe(false);
  expect(await isMade(memory, second.name)).toBe(true);
});

test('an answer that was replaced while it was compressed does not come back', async () => {
  const memory = createMemory();
  const { json: old } = await answer(memory, '/a?', 'old'.repeat(1000));
  const encoding = old.encode('gzip');
  versions.catalogue = '2';
  const { json: present } = await answer(memory, '/a?', 'new'.repeat(1000));
  await encoding;
  expect((await answer(memory, '/a?', 'newer')).json).toBe(present);
});

test('without memory, keeps nothing and looks up no versions', async () => {
  const memory = createMemory({ maxBytes: 0 });
  expect([await isMade(memory, '/a?'), await isMade(memory, '/a?')]).toEqual([true, true]);
  expect(lookups).toBe(0);
});

test('without an answer about the version, no answer is given', async () => {
  const silent = new SharedRuns(() => Promise.reject(new Error('away')));
  const question = { name: '/a?', shows: ['catalogue' as const], dataVersion: silent, isGone: () => false };
  const make = async () => {
    made.push('/a?');
    return { json: 'x' };
  };
  await expect(createMemory().answer(question, make)).rejects.toThrow('away');
  expect(made).toEqual([]);
});

test('with a short retention, an answer is reused for a tenth of it, so that a cursor in it does not expire', async () => {
  const memory = createMemory({ retentionMs: 10_000 });
  expect(await isMade(memory, 'a')).toBe(true);
  await clock.advance(999);
  expect(await isMade(memory, 'a')).toBe(false);
  await clock.advance(1);
  expect(await isMade(memory, 'a')).toBe(true);
});
