import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, jest, test } from '@jest/globals';
import type { AnswerChange, AnswerScope } from '../../../domain/answer-scope.ts';
import type { ChangeFacets } from '../../../domain/stream-filter.ts';
import { ResponseCache } from '../../../gateway/answers/response-cache.ts';
import { encodeContent } from '../../../gateway/http/content.ts';
import { RepeatedContent } from '../../../gateway/http/repeated-content.ts';
import type { Reply } from '../../../gateway/http/route.ts';
import type { DataPart, DataVersions } from '../../../store/reads/data-versions.ts';
import { DataWatch } from '../../../store/reads/data-watch.ts';
import { ManualClock } from '../../helpers/service/manual-clock.ts';
import { until } from '../../helpers/until.ts';

const WEEK_MS = 7 * 24 * 3_600_000;

let clock: ManualClock;
let versions: DataVersions;
/** The changes of endorsements after the first, each in one state. */
let changes: AnswerChange[];
let lookups: number;

beforeEach(() => {
  clock = new ManualClock();
  versions = { epoch: '1', sequence: 1, catalogue: '1', officeholders: '1' };
  changes = [];
  data = watch();
  lookups = 0;
});

let data: DataWatch;
/** Watches `versions` and `changes`. */
const watch = () =>
  new DataWatch({
    loadVersions: async () => {
      lookups += 1;
      return { ...versions };
    },
    loadChanges: async (from, to) => changes.slice(from - 2, to - 1),
  });

/** Commits a change in this state. */
function change(state: string): void {
  const facets = { states: state } as ChangeFacets;
  changes.push({ facets, contestId: 1, endorsementId: 1 });
  versions.sequence += 1;
}

function createCache({ maxBytes = 1_000_000, retentionMs = WEEK_MS } = {}): ResponseCache {
  return new ResponseCache({ maxBytes, retentionMs, clock });
}

/** Asks for an answer that shows the catalogue. */
async function answer(cache: ResponseCache, name: string, json: string) {
  const question = { name, shows: ['catalogue' as const], data, isGone: () => false };
  const reply = await cache.answer(question, async () => ({ json }));
  if (!('json' in reply) || !(reply.json instanceof RepeatedContent)) throw new Error('It cannot be kept.');
  return { json: reply.json };
}

/** Asks for an answer of `bytes` bytes. Returns whether it had to be made. */
async function isMade(
  cache: ResponseCache,
  name: string,
  {
    shows = ['catalogue'] as DataPart[],
    bytes = 10,
    isGone = false,
    whileMade = () => {},
    scope = undefined as AnswerScope | undefined,
  } = {},
): Promise<boolean> {
  let wasMade = false;
  await cache.answer({ name, shows, data, isGone: () => isGone }, async () => {
    wasMade = true;
    whileMade();
    return { json: 'x'.repeat(bytes), ...(scope && { scope }) };
  });
  return wasMade;
}

const BOTH: DataPart[] = ['catalogue', 'endorsements'];
/** Asks for an answer about endorsements in these states. */
const isStateMade = (cache: ResponseCache, states: string, whileMade = () => {}) =>
  isMade(cache, states, { shows: BOTH, scope: [{ states: states.split(',') }], whileMade });

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
  const shows = BOTH;
  expect(await isMade(cache, '/a?', { shows })).toBe(true);
  versions.officeholders = '2';
  expect(await isMade(cache, '/a?', { shows })).toBe(false);
  for (const alter of [
    () => change('WY'),
    () => {
      versions.catalogue = '2';
    },
    () => {
      versions.epoch = '2';
    },
  ]) {
    alter();
    expect(await isMade(cache, '/a?', { shows })).toBe(true);
    expect(await isMade(cache, '/a?', { shows })).toBe(false);
  }
  const shown = { shows: ['catalogue', 'officeholders'] as DataPart[] };
  expect(await isMade(cache, '/o?', shown)).toBe(true);
  versions.officeholders = '3';
  expect(await isMade(cache, '/o?', shown)).toBe(true);
  expect(await isMade(cache, '/o?', shown)).toBe(false);
});

test('INV-1: an answer is made again after a change in its scope, and only then', async () => {
  const cache = createCache();
  const isEachMade = async () => [await isStateMade(cache, 'WY'), await isStateMade(cache, 'WY,CA')];
  expect(await isEachMade()).toEqual([true, true]);
  change('FL');
  expect(await isEachMade()).toEqual([false, false]);
  change('FL');
  change('CA');
  change('FL');
  expect(await isEachMade()).toEqual([false, true]);
  expect(await isEachMade()).toEqual([false, false]);
  change('WY');
  expect(await isEachMade()).toEqual([true, true]);
});

test('INV-1: a change in scope while an answer is made makes it outdated, also after other changes', async () => {
  const cache = createCache();
  await isStateMade(cache, 'WY', () => change('WY'));
  change('FL');
  expect(await isStateMade(cache, 'WY')).toBe(true);
  expect(await isStateMade(cache, 'WY')).toBe(false);
});

test('INV-1: an answer from before more changes than are remembered is outdated', async () => {
  const cache = createCache();
  await isStateMade(cache, 'WY');
  // Too many to be loaded at a time.
  for (let count = 0; count < 501; count += 1) change('FL');
  expect(await isStateMade(cache, 'WY')).toBe(true);
  for (let count = 0; count < 10_001; count += 500) {
    for (let more = 0; more < 500; more += 1) change('FL');
    expect(await isStateMade(cache, 'CA')).toBe(count === 0);
  }
  expect(await isStateMade(cache, 'WY')).toBe(true);
});

test('INV-1: a database that lost changes invalidates the answers that may show them', async () => {
  const cache = createCache();
  change('WY');
  await isStateMade(cache, 'WY');
  changes.pop();
  versions.sequence -= 1;
  expect(await isStateMade(cache, 'WY')).toBe(true);
  expect(await isStateMade(cache, 'WY')).toBe(false);
});

test('INV-1: a database that lost an edit of the catalogue invalidates the answers that may show it, also after another one', async () => {
  const cache = createCache();
  versions.catalogue = '3';
  expect(await isMade(cache, '/a?')).toBe(true);
  versions.catalogue = '2';
  // Another request sees the loss, and the next edit has the same version.
  await isMade(cache, '/b?');
  versions.catalogue = '3';
  expect(await isMade(cache, '/a?')).toBe(true);
  expect(await isMade(cache, '/a?')).toBe(false);
});

test('an answer that is not JSON is not kept', async () => {
  const cache = createCache();
  let made = 0;
  const ask = () =>
    cache.answer({ name: '/a?', shows: ['catalogue'], data, isGone: () => false }, async () => {
      made += 1;
      return { redirect: '/b' } as unknown as Reply;
    });
  expect([await ask(), await ask(), made]).toEqual([{ redirect: '/b' }, { redirect: '/b' }, 2]);
});

test('INV-1: an answer that one server has made is not older than the data of another that is behind', async () => {
  const cache = createCache();
  const replica = watch();
  await isStateMade(cache, 'WY');
  await cache.answer({ name: 'WY', shows: BOTH, data: replica, isGone: () => false }, () => {
    throw new Error('It is kept.');
  });
  change('WY');
  await isStateMade(cache, 'WY');
  versions.sequence -= 1;
  const behind = { name: 'WY', shows: BOTH, data: replica, isGone: () => false };
  await expect(cache.answer(behind, () => Promise.reject(new Error('It is kept.')))).resolves.toBeDefined();
});

describe('requests at the same state of the data', () => {
  /** Asks for the answer several times at once. Returns how often it was made, and the answers. */
  async function askAtOnce(cache: ResponseCache, times: number, { fails = false, gone = false } = {}) {
    let count = 0;
    const opened = Promise.withResolvers<void>();
    const asked = Array.from({ length: times }, (_, index) =>
      cache.answer({ name: '/a?', shows: BOTH, data, isGone: () => gone && index === 0 }, async () => {
        count += 1;
        await opened.promise;
        if (fails && count === 1) throw new Error('failed');
        return { json: `answer ${index}` };
      }),
    );
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    opened.resolve();
    const settled = await Promise.allSettled(asked);
    return { count, states: settled.map(({ status }) => status) };
  }

  test('share an answer that is being made', async () => {
    expect(await askAtOnce(createCache(), 5)).toMatchObject({ count: 1 });
  });

  test('do not share its failure, nor an answer that may be incomplete', async () => {
    const failed = await askAtOnce(createCache(), 3, { fails: true });
    expect(failed.states).toEqual(['rejected', 'fulfilled', 'fulfilled']);
    expect((await askAtOnce(createCache(), 3, { gone: true })).count).toBeGreaterThan(1);
  });

  test('INV-1: a request after a change does not share an answer that was begun before it', async () => {
    const cache = createCache();
    const opened = Promise.withResolvers<void>();
    const made: string[] = [];
    const ask = (name: string) =>
      cache.answer({ name: '/a?', shows: BOTH, data, isGone: () => false }, async () => {
        made.push(name);
        await opened.promise;
        return { json: name };
      });
    const first = ask('before');
    await until('it is begun', () => made.length === 1);
    change('WY');
    const second = ask('after');
    await until('the second is begun', () => made.length === 2);
    opened.resolve();
    await Promise.all([first, second]);
    expect(made).toEqual(['before', 'after']);
  });

  test('share the latest answer that is being made, also after the end of an older one', async () => {
    const cache = createCache();
    const turns = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    let count = 0;
    const ask = () =>
      cache.answer({ name: '/a?', shows: BOTH, data, isGone: () => false }, async () => {
        count += 1;
        await turns[count - 1]?.promise;
        return { json: 'x' };
      });
    const older = ask();
    await until('the older is begun', () => count === 1);
    change('WY');
    const latest = ask();
    await until('the latest is begun', () => count === 2);
    turns[0]?.resolve();
    await older;
    const sharing = ask();
    await until('it has asked for the data', () => lookups === 3);
    turns[1]?.resolve();
    await Promise.all([latest, sharing]);
    expect(count).toBe(2);
  });
});

test('a request that waited for its turn takes the answer that another one has made meanwhile', async () => {
  const cache = createCache();
  const turn = Promise.withResolvers<void>();
  const question = { name: '/a?', shows: BOTH, data, isGone: () => false };
  const waiting = cache.answer(
    {
      ...question,
      inTurn: async (work) => {
        await turn.promise;
        return work();
      },
    },
    () => Promise.reject(new Error('It is made already.')),
  );
  await cache.answer(question, async () => ({ json: 'x' }));
  turn.resolve();
  await expect(waiting).resolves.toBeDefined();
});

test('INV-1: a request that waited for its turn shows the changes of this time, and one that did not asks once', async () => {
  const cache = createCache();
  const question = { name: '/a?', shows: BOTH, data, isGone: () => false };
  const shown: number[] = [];
  const ask = (inTurn: (work: () => Promise<Reply>) => Promise<Reply>) =>
    cache.answer({ ...question, inTurn }, async (loadState) => {
      shown.push((await loadState()).versions.sequence);
      return { json: 'x' };
    });
  await ask((work) => work());
  expect([lookups, shown]).toEqual([1, [1]]);
  change('WY');
  await ask(async (work) => {
    change('WY');
    return work();
  });
  await ask(async (work) => {
    await new Promise(setImmediate);
    change('WY');
    return work();
  });
  expect(shown).toEqual([1, 2, 4]);
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

test('the minute of an answer counts from its beginning, when its stream cursor was true', async () => {
  const cache = createCache();
  expect(await isMade(cache, '/a?', { whileMade: () => void clock.advance(30_000) })).toBe(true);
  await clock.advance(29_999);
  expect(await isMade(cache, '/a?')).toBe(false);
  await clock.advance(1);
  expect(await isMade(cache, '/a?')).toBe(true);
});

test('an answer whose client leaves while it is made is not kept', async () => {
  const cache = createCache();
  let hasLeft = false;
  await cache.answer({ name: '/a?', shows: ['catalogue'], data, isGone: () => hasLeft }, async () => {
    hasLeft = true;
    return { json: 'x' };
  });
  expect(await isMade(cache, '/a?')).toBe(true);
});

test('an answer that may be incomplete or is large is not kept', async () => {
  const cache = createCache({ maxBytes: 4_000_000 });
  expect(await isMade(cache, '/cut?', { isGone: true })).toBe(true);
  expect(await isMade(cache, '/cut?')).toBe(true);
  for (let round = 0; round < 3; round += 1)
    expect(await isMade(cache, '/large?', { bytes: 1_000_001 })).toBe(true);
});

test('an answer of 64 KB or more is kept when it is asked for again, also after a change', async () => {
  const cache = createCache();
  const ask = (name: string, bytes: number) => isMade(cache, name, { bytes });
  expect([await ask('/small?', 65_535), await ask('/small?', 65_535)]).toEqual([true, false]);
  const made = [];
  for (let round = 0; round < 3; round += 1) made.push(await ask('/a?', 65_536));
  // Answers that are asked for once do not evict it.
  for (let other = 0; other < 30; other += 1) expect(await ask(`/${other}?`, 65_536)).toBe(true);
  made.push(await ask('/a?', 65_536));
  versions.catalogue = '2';
  for (let round = 0; round < 2; round += 1) made.push(await ask('/a?', 65_536));
  expect(made).toEqual([true, true, false, false, true, false]);
});

test('keeps the most recently used answers within its bytes', async () => {
  const cache = createCache({ maxBytes: 250_000 });
  const bytes = 60_000;
  for (const name of ['/a?', '/b?', '/c?', '/d?', '/a?', '/e?']) await isMade(cache, name, { bytes });
  for (const name of ['/a?', '/c?', '/d?', '/e?'])
    expect([name, await isMade(cache, name, { bytes })]).toEqual([name, false]);
  expect(await isMade(cache, '/b?', { bytes })).toBe(true);
});

test('the compressed forms of an answer count as its memory', async () => {
  const cache = createCache({ maxBytes: 180_000 });
  // Texts that hardly compress.
  const text = () => randomBytes(22_000).toString('hex');
  const { json } = await answer(cache, '/a?', text());
  for (const name of ['/b?', '/c?']) await answer(cache, name, text());
  expect(await isMade(cache, '/a?')).toBe(false);
  await json.encode('gzip');
  expect(await isMade(cache, '/a?')).toBe(false);
  await json.encode('br');
  expect(await isMade(cache, '/a?')).toBe(false);
  expect(await isMade(cache, '/b?')).toBe(true);
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
  const silent = new DataWatch({
    loadVersions: () => Promise.reject(new Error('away')),
    loadChanges: async () => [],
  });
  const question = { name: '/a?', shows: ['catalogue' as const], data: silent, isGone: () => false };
  const make = jest.fn(async () => ({ json: 'x' }));
  await expect(createCache().answer(question, make)).rejects.toThrow('away');
  expect(make).not.toHaveBeenCalled();
});

test('with a short retention, an answer is reused for a tenth of it, so that a cursor in it does not expire', async () => {
  const cache = createCache({ retentionMs: 10_000 });
  expect(await isMade(cache, 'a')).toBe(true);
  await clock.advance(999);
  expect(await isMade(cache, 'a')).toBe(false);
  await clock.advance(1);
  expect(await isMade(cache, 'a')).toBe(true);
});
