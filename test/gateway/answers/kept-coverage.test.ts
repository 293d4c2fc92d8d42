import { beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AnswerChange } from '../../../domain/answer-scope.ts';
import { CoverageMemory, KeptCoverage } from '../../../gateway/answers/kept-coverage.ts';
import { STATE_CODES } from '../../../schemas/vocabulary.ts';
import type { DatabasePool } from '../../../store/connection/read-pool.ts';
import type { DataState } from '../../../store/reads/data-watch.ts';

/** The database: the number of changes in each state of the country. */
let counts: Map<string, number>;
let sequence: number;
let catalogue: number;
let history: string;
/** The state of each change, from sequence 1. */
let log: string[];
/** Earlier changes are forgotten. */
let remembered: number;
/** The states of each load. */
let loads: string[];
/** Happens after a snapshot was taken, before the answer arrives. */
let whileLoading: () => Promise<void> | void;
let kept: KeptCoverage;

beforeEach(() => {
  counts = new Map(STATE_CODES.map((code) => [code, 0]));
  [sequence, catalogue, history, log, remembered, loads] = [0, 1, '1.0', [], 0, []];
  whileLoading = () => {};
  kept = new KeptCoverage(async (states) => {
    loads.push(states.length === STATE_CODES.length ? 'all' : states.toSorted().join());
    const snapshot = new Map(states.map((code) => [code, `${counts.get(code)}`]));
    await whileLoading();
    return snapshot;
  });
});

function change(code: string): void {
  counts.set(code, (counts.get(code) ?? 0) + 1);
  log.push(code);
  sequence += 1;
}

/** An edit of the catalogue, which may alter every state. */
function edit(): void {
  for (const [code, count] of counts) counts.set(code, count + 1);
  catalogue += 1;
}

/** The state of the database now. */
function now(): DataState {
  const [through, known] = [sequence, [...log]];
  const changes = (after: number) =>
    after < remembered
      ? null
      : known.slice(after, through).map((states) => ({ facets: { states } }) as AnswerChange);
  const versions = { epoch: '1', sequence, catalogue: String(catalogue), officeholders: '1' };
  return { versions, history, changes };
}

/** The counts that a request at this state shows, by code. */
async function read(at = now()): Promise<Record<string, number>> {
  const items = (await kept.at(at)).split(',').map(Number);
  return Object.fromEntries(STATE_CODES.map((code, index) => [code, items[index] ?? Number.NaN]));
}

test('INV-1: after changes, the coverage of the changed states is loaded, and of no other', async () => {
  await read();
  change('OR');
  change('WY');
  change('OR');
  expect(await read()).toMatchObject({ OR: 2, WY: 1, TX: 0 });
  const earlier = now();
  change('TX');
  expect(await read()).toMatchObject({ OR: 2, WY: 1, TX: 1 });
  await read(earlier);
  await read();
  expect(loads).toEqual(['all', 'OR,WY', 'TX']);
});

test('requests at the same time share a load', async () => {
  await Promise.all([read(), read()]);
  change('OR');
  await Promise.all([read(), read(), read()]);
  expect(loads).toEqual(['all', 'OR']);
});

test('INV-1: an edit of the catalogue, another history and forgotten changes load all of it', async () => {
  await read();
  edit();
  await read();
  history = '1.1';
  [counts, sequence, catalogue] = [new Map(STATE_CODES.map((code) => [code, 7])), 0, 1];
  expect(await read()).toMatchObject({ OR: 7, TX: 7 });
  change('OR');
  remembered = 1;
  expect(await read()).toMatchObject({ OR: 8, TX: 7 });
  expect(loads).toEqual(Array(4).fill('all'));
});

test('INV-1: a change that comes during a load is loaded for the requests after it', async () => {
  await read();
  change('OR');
  let later: Promise<unknown> = Promise.resolve();
  whileLoading = () => {
    whileLoading = () => {};
    change('OR');
    later = read();
  };
  await read();
  expect(await later).toMatchObject({ OR: 2 });
  expect(loads).toEqual(['all', 'OR', 'OR']);
});

test('INV-1: a request that comes during a load gets what is being loaded, without another load', async () => {
  await read();
  change('OR');
  const changed = now();
  let later: Promise<unknown> = Promise.resolve();
  whileLoading = () => {
    later = read(changed);
  };
  await read(changed);
  expect(await later).toMatchObject({ OR: 1 });
  expect(loads).toEqual(['all', 'OR']);
});

test('INV-1: a failed load is made again, with the changes since', async () => {
  await read();
  change('OR');
  whileLoading = () => {
    throw new Error('away');
  };
  await expect(read()).rejects.toThrow('away');
  whileLoading = () => {};
  change('WY');
  expect(await read()).toMatchObject({ OR: 1, WY: 1 });
  expect(loads).toEqual(['all', 'OR', 'OR,WY']);
});

test('INV-1: in any order of changes, edits, failures and requests, a request shows its state or a later one', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('change' as const), code: fc.constantFrom('OR', 'WY', 'TX') }),
    fc.record({ kind: fc.constantFrom('edit', 'read', 'late read', 'fail', 'settle', 'forget') }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      counts = new Map(STATE_CODES.map((code) => [code, 0]));
      [sequence, catalogue, log, remembered] = [0, 1, [], 0];
      history += '0';
      const reads: Promise<void>[] = [];
      const request = (at: DataState, least: Map<string, number>) =>
        reads.push(
          read(at).then(
            (shown) => {
              for (const [code, count] of least) expect(shown[code]).toBeGreaterThanOrEqual(count);
            },
            () => {},
          ),
        );
      let late: [DataState, Map<string, number>] = [now(), new Map(counts)];
      for (const each of steps) {
        if (each.kind === 'change') change('code' in each ? each.code : '');
        if (each.kind === 'edit') edit();
        if (each.kind === 'forget') remembered = sequence;
        if (each.kind === 'settle') await Promise.all(reads);
        whileLoading =
          each.kind === 'fail'
            ? () => {
                whileLoading = () => {};
                throw new Error('away');
              }
            : whileLoading;
        if (each.kind === 'read') {
          request(now(), new Map(counts));
          late = [now(), new Map(counts)];
        }
        if (each.kind === 'late read') request(...late);
      }
      await Promise.all(reads);
      expect(await read().catch(() => read())).toEqual(Object.fromEntries(counts));
    }),
    { numRuns: 300 },
  );
});

test('each database keeps its own coverage, of all elections and of those from a day, and forgets former days', () => {
  const memory = new CoverageMemory();
  const [pool, replica] = [{}, {}] as [DatabasePool, DatabasePool];
  const all = memory.of(pool, undefined);
  const upcoming = memory.of(pool, '2026-11-02');
  expect(new Set([all, upcoming, memory.of(replica, undefined)]).size).toBe(3);
  expect(memory.of(pool, undefined)).toBe(all);
  expect(memory.of(pool, '2026-11-02')).toBe(upcoming);
  // The next day replaces the oldest of the two.
  const next = memory.of(pool, '2026-11-03');
  expect(memory.of(pool, '2026-11-03')).toBe(next);
  expect(memory.of(pool, '2026-11-02')).toBe(upcoming);
  expect(memory.of(pool, undefined)).not.toBe(all);
});
