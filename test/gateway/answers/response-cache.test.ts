import { randomBytes } from 'node:crypto';
import { beforeEach, expect, test } from '@jest/globals';
import { ResponseCache } from '../../../gateway/answers/response-cache.ts';
import { encodeContent } from '../../../gateway/http/content.ts';
import { RepeatedContent } from '../../../gateway/http/repeated-content.ts';
import { Coalescer } from '../../../service/coalescer.ts';
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

const dataVersion = new Coalescer(async () => {
  lookups += 1;
  return { ...versions };
});

function createCache({ maxBytes = 1_000_000, retentionMs = WEEK_MS } = {}): ResponseCache {
  return new ResponseCache({ maxBytes, retentionMs, clock });
}

/** Asks for an answer that shows the catalogue. */
async function answer(cache: ResponseCache, name: string, json: string) {
  const question = { name, shows: ['catalogue' as const], dataVersion, isGone: () => false };
  const reply = await cache.answer(question, async () => ({ json }));
  if (!('json' in reply) || !(reply.json instanceof RepeatedContent)) throw new Error('It cannot be kept.');
  return { json: reply.json };
}

/** Asks for an answer of `bytes` bytes. Returns whether it had to be made. */
async function isMade(
  cache: ResponseCache,
  name: string,
  { shows = ['catalogue'] as DataPart[], bytes = 10, isGone = false, whileMade = () => {} } = {},
): Promise<boolean> {
  const before = made.length;
  await cache.answer({ name, shows, dataVersion, isGone: () => isGone }, async () => {
    made.push(name);
    whileMade();
    return { json: 'x'.repeat(bytes) };
  });
  return made.length > before;
}

test('an answer is reused unchanged while the data is unchanged', async () => {
  const cache = createCache();
  const ask = (json: string) => answer(cache, '/a?', json);
  const first = await ask('first');
  expect(first).toMatchObject({ json: encodeContent('first') });
  expect((await ask('second')).json).toBe(first.json);
  expect(lookups).toBe(2);
});

test('INV-1: an answer is made again after a change of any part that it shows, and only then', async () => {
  const cache = createCache();
  const shows: DataPart[] = ['catalogue', 'endorsements'];
  expect(await isMade(cache, '/a?', { shows })).toBe(true);
  versions.officeholders = '2';
  expect(await isMade(cache, '/a?', { shows })).toBe(false);
  for (const part of shows) {
    versions[part] = '2';
    expect(await isMade(cache, '/a?', { shows })).toBe(true);
    expect(await isMade(cache, '/a?', { shows })).toBe(false);
  }
});

test('INV-1: a change while an answer is made makes the answer outdated', async () => {
  const cache = createCache();
  const change = () => {
    versions.catalogue = '2';
  };
  expect(await isMade(cache, '/a?', { whileMade: change })).toBe(true);
  expect(await isMade(cache, '/a?')).toBe(true);
  expect(await isMade(cache, '/a?')).toBe(false);
});

test('an answer is reused for a minute, and never on another day', async () => {
  const cache = createCache();
  await isMade(cache, '/a?');
  await clock.advance(59_999);
  expect(await isMade(cache, '/a?')).toBe(false);
  await clock.advance(1);
  expect(await isMade(cache, '/a?')).toBe(true);
  const midnight = Date.parse('2026-11-04T00:00:00Z');
  await clock.advance(midnight - 1000 - clock.now());
  expect(await isMade(cache, '/a?')).toBe(true);
  await clock.advance(1000);
  expect(await isMade(cache, '/a?')).toBe(true);
});

test('an answer that may be incomplete or is large is not kept', async () => {
  const cache = createCache({ maxBytes: 10_000_000 });
  expect(await isMade(cache, '/cut?', { isGone: true })).toBe(true);
  expect(await isMade(cache, '/cut?')).toBe(true);
  for (let round = 0; round < 2; round += 1)
    expect(await isMade(cache, '/large?', { bytes: 1024 * 1024 + 1 })).toBe(true);
});

test('keeps the most recently used answers within its bytes', async () => {
  const cache = createCache({ maxBytes: 250_000 });
  const bytes = 90_000;
  await isMade(cache, '/a?', { bytes });
  await isMade(cache, '/b?', { bytes });
  await isMade(cache, '/a?', { bytes });
  await isMade(cache, '/c?', { bytes });
  expect(await isMade(cache, '/a?', { bytes })).toBe(false);
  expect(await isMade(cache, '/c?', { bytes })).toBe(false);
  expect(await isMade(cache, '/b?', { bytes })).toBe(true);
});

test('the compressed forms of an answer count as its memory', async () => {
  const cache = createCache({ maxBytes: 250_000 });
  // Texts that hardly compress.
  const [first, second] = ['/a?', '/b?'].map((name) => ({ name, json: randomBytes(45_000).toString('hex') }));
  if (!first || !second) throw new Error('There are two.');
  const { json } = await answer(cache, first.name, first.json);
  await answer(cache, second.name, second.json);
  expect(await isMade(cache, first.name)).toBe(false);
  await json.encode('gzip');
  expect(await isMade(cache, first.name)).toBe(false);
  await json.encode('br');
  expect(await isMade(cache, first.name)).toBe(false);
  expect(await isMade(cache, second.name)).toBe(true);
});

test('an answer that was replaced while it was compressed does not come back', async () => {
  const cache = createCache();
  const { json: old } = await answer(cache, '/a?', 'old'.repeat(1000));
  const encoding = old.encode('gzip');
  versions.catalogue = '2';
  const { json: present } = await answer(cache, '/a?', 'new'.repeat(1000));
  await encoding;
  expect((await answer(cache, '/a?', 'newer')).json).toBe(present);
});

test('without memory, keeps nothing and looks up no versions', async () => {
  const cache = createCache({ maxBytes: 0 });
  expect([await isMade(cache, '/a?'), await isMade(cache, '/a?')]).toEqual([true, true]);
  expect(lookups).toBe(0);
});

test('without an answer about the version, no answer is given', async () => {
  const silent = new Coalescer(() => Promise.reject(new Error('away')));
  const question = { name: '/a?', shows: ['catalogue' as const], dataVersion: silent, isGone: () => false };
  const make = async () => {
    made.push('/a?');
    return { json: 'x' };
  };
  await expect(createCache().answer(question, make)).rejects.toThrow('away');
  expect(made).toEqual([]);
});

test('with a short retention, an answer is reused for a tenth of it, so that a cursor in it does not expire', async () => {
  const cache = createCache({ retentionMs: 10_000 });
  expect(await isMade(cache, 'a')).toBe(true);
  await clock.advance(999);
  expect(await isMade(cache, 'a')).toBe(false);
  await clock.advance(1);
  expect(await isMade(cache, 'a')).toBe(true);
});
