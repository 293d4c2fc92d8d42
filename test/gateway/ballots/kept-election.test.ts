import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AnswerChange } from '../../../domain/answer-scope.ts';
import { KeptElection } from '../../../gateway/ballots/kept-election.ts';
import type { DataState } from '../../../store/reads/data-watch.ts';
import { storedBallots } from '../../helpers/ballots/stored-ballots.ts';
import { until } from '../../helpers/until.ts';

/** The database: the number of changes in each of its contests, which is the endorser of the only pick there. */
let contests: Map<number, number>;
let versions: { epoch: string; sequence: number; catalogue: string; officeholders: string };
/** The contest of each change, from sequence 2. */
let log: number[];
let history: string;
/** The first change that is remembered. */
let remembered: number;
let asked: string[];
/** Happens after a snapshot was taken, before the answer arrives. */
let whileLoading: () => Promise<void> | void;

beforeEach(() => {
  contests = new Map([1, 2, 3].map((id) => [id, 1]));
  versions = { epoch: '1', sequence: 1, catalogue: '1', officeholders: '1' };
  log = [];
  history = '1.0';
  remembered = 0;
  asked = [];
  whileLoading = () => {};
});

/** Changes the picks in a contest, of this election or of another one. */
function change(contest: number): void {
  if (contests.has(contest)) contests.set(contest, (contests.get(contest) ?? 0) + 1);
  log.push(contest);
  versions = { ...versions, sequence: versions.sequence + 1 };
}

/** Adds a contest to the catalogue. */
function edit(): void {
  contests.set(contests.size + 1, 1);
  versions = { ...versions, catalogue: String(Number(versions.catalogue) + 1) };
}

/** The state of the database now. */
function state(): DataState {
  const now = { versions, history, log: [...log] };
  return {
    versions,
    history,
    changes: (after) =>
      after + 1 < remembered
        ? null
        : now.log
            .slice(after - 1, now.versions.sequence - 1)
            .map((contestId) => ({ contestId }) as AnswerChange),
  };
}

function snapshot(ids: readonly number[] = [...contests.keys()]) {
  const stored = ids.map((id) => {
    const endorser = contests.get(id) ?? 0;
    return { id, picks: endorser === 0 ? [] : [{ endorser, choice: 10 }] };
  });
  return storedBallots(stored, versions);
}

async function answer(question: string, ids?: readonly number[]) {
  asked.push(question);
  const stored = snapshot(ids);
  await whileLoading();
  return stored;
}

const keep = () =>
  new KeptElection({
    loadBallot: () => answer('ballot'),
    loadPicks: (ids) => answer(`picks of ${[...ids].sort().join()}`, ids),
  });

/** The answer to a request at this state: the number of changes in each contest. */
async function read(kept: KeptElection, at = state()): Promise<Record<number, number>> {
  const found = kept.find(at);
  const ballot = found === undefined ? await kept.load() : found;
  return Object.fromEntries((ballot?.contests ?? []).map(({ id, picks }) => [id, picks?.facts[0] ?? 0]));
}

test('a ballot is loaded once while nothing changes', async () => {
  const kept = keep();
  expect([await read(kept), await read(kept)]).toEqual([
    { 1: 1, 2: 1, 3: 1 },
    { 1: 1, 2: 1, 3: 1 },
  ]);
  expect(asked).toEqual(['ballot']);
});

test('after changes, only the picks of the changed contests are loaded, each time', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  change(3);
  change(1);
  change(99);
  expect(await read(kept)).toEqual({ 1: 3, 2: 1, 3: 2 });
  change(3);
  expect(await read(kept)).toEqual({ 1: 3, 2: 1, 3: 3 });
  change(99);
  expect(kept.find(state())).toBeDefined();
  expect(asked).toEqual(['ballot', 'picks of 1,3', 'picks of 3']);
});

test('after changes of more than a thousand contests, the ballot is loaded again', async () => {
  contests = new Map(Array.from({ length: 1001 }, (_, index) => [index + 1, 1]));
  const kept = keep();
  for (const [changed, question] of [
    [1000, expect.stringMatching(/^picks of /)],
    [1001, 'ballot'],
  ] as const) {
    await read(kept);
    asked = [];
    for (let contest = 1; contest <= changed; contest += 1) change(contest);
    expect((await read(kept))[1]).toBe(contests.get(1));
    expect(asked).toEqual([question]);
  }
});

test('INV-1: after a load that failed, its contests are loaded, and those that changed meanwhile', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  whileLoading = () => {
    change(2);
    kept.find(state());
    throw new Error('away');
  };
  await expect(read(kept)).rejects.toThrow('away');
  whileLoading = () => {};
  expect(await read(kept)).toEqual({ 1: 2, 2: 2, 3: 1 });
  expect(asked).toEqual(['ballot', 'picks of 1', 'picks of 1,2']);
});

test('a contest whose last pick was withdrawn has none', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  contests.set(1, 0);
  expect(await read(kept)).toEqual({ 1: 0, 2: 1, 3: 1 });
});

test('changes that a whole load shows are not loaded again', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  kept.find(state());
  edit();
  await read(kept);
  expect(kept.find(state())).toBeDefined();
});

test('after an edit of the catalogue, the ballot is loaded again, once', async () => {
  const kept = keep();
  await read(kept);
  edit();
  expect(await read(kept)).toEqual({ 1: 1, 2: 1, 3: 1, 4: 1 });
  await read(kept);
  expect(asked).toEqual(['ballot', 'ballot']);
});

test('an edit that picks are loaded after loads the whole ballot', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  const before = state();
  edit();
  expect(await read(kept, before)).toEqual({ 1: 2, 2: 1, 3: 1, 4: 1 });
  expect(asked).toEqual(['ballot', 'picks of 1', 'ballot']);
});

test('after changes that are not known any more, the ballot is loaded again', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  change(2);
  remembered = 3;
  expect(await read(kept)).toEqual({ 1: 2, 2: 2, 3: 1 });
  expect(asked).toEqual(['ballot', 'ballot']);
});

test('a database that lost changes has another ballot, also if it has as many changes again', async () => {
  const kept = keep();
  await read(kept);
  change(1);
  await read(kept);
  // The change was lost, and another one came.
  contests.set(1, 1);
  contests.set(2, 7);
  log = [2];
  history = '1.1';
  expect(await read(kept)).toEqual({ 1: 1, 2: 7, 3: 1 });
  expect(asked.at(-1)).toBe('ballot');
  expect(kept.find(state())).toBeDefined();
});

test('INV-1: after a database has lost changes, each of its new ones is loaded', async () => {
  const kept = keep();
  for (let count = 0; count < 5; count += 1) change(1);
  await read(kept);
  history = '1.1';
  log = [];
  versions = { ...versions, sequence: 1 };
  await read(kept);
  for (const [index, contest] of [2, 3, 2].entries()) {
    change(contest);
    expect([index, await read(kept)]).toEqual([index, Object.fromEntries(contests)]);
  }
});

test('a database that lost an edit of the catalogue is asked once', async () => {
  const kept = keep();
  edit();
  await read(kept);
  history = '1.1';
  contests.delete(4);
  versions = { ...versions, catalogue: '1' };
  expect(await read(kept)).toEqual({ 1: 1, 2: 1, 3: 1 });
  change(1);
  expect(await read(kept)).toEqual({ 1: 2, 2: 1, 3: 1 });
  expect(asked).toEqual(['ballot', 'ballot', 'picks of 1']);
});

test('a ballot that was being loaded when the history changed is loaded again', async () => {
  const kept = keep();
  whileLoading = () => {
    whileLoading = () => {};
    history = '1.1';
    contests.set(1, 5);
    kept.find(state());
  };
  await read(kept);
  expect(await read(kept)).toEqual({ 1: 5, 2: 1, 3: 1 });
});

test('a state from before the ballot gets the ballot', async () => {
  const kept = keep();
  const before = state();
  change(1);
  edit();
  await read(kept);
  for (const at of [before, state()]) expect(await read(kept, at)).toEqual({ 1: 2, 2: 1, 3: 1, 4: 1 });
  expect(asked).toEqual(['ballot']);
});

test('INV-1: a change that is noticed while the whole ballot is loaded again, after changes everywhere, is loaded afterwards', async () => {
  contests = new Map(Array.from({ length: 1001 }, (_, index) => [index + 1, 1]));
  const kept = keep();
  await read(kept);
  for (const id of contests.keys()) change(id);
  whileLoading = () => {
    whileLoading = () => {};
    change(1);
    expect(kept.find(state())).toBeUndefined();
  };
  await read(kept);
  expect((await read(kept))[1]).toBe(3);
  expect(asked).toEqual(['ballot', 'ballot', 'picks of 1']);
});

describe('requests at the same time', () => {
  test('share a load', async () => {
    const kept = keep();
    await Promise.all([read(kept), read(kept), read(kept)]);
    change(2);
    await Promise.all([read(kept), read(kept)]);
    expect(asked).toEqual(['ballot', 'picks of 2']);
  });

  /** Loads, and expects of a request after a change meanwhile that it sees the change. */
  async function expectOwnLoad(kept: ReturnType<typeof keep>, act: () => void): Promise<void> {
    let later: Promise<unknown> = Promise.resolve();
    let expected: unknown;
    whileLoading = () => {
      whileLoading = () => {};
      const before = state();
      act();
      expected = Object.fromEntries(contests);
      later = read(kept);
      void read(kept, before);
    };
    await read(kept);
    expect(await later).toEqual(expected);
  }

  test('INV-1: one after a change does not share the load that began before it', async () => {
    const kept = keep();
    await read(kept);
    for (const act of [() => change(1), () => change(2), edit]) {
      change(1);
      await expectOwnLoad(kept, act);
    }
  });

  test('INV-1: one after a change does not share the whole load that began before it', async () => {
    const kept = keep();
    for (const begin of [() => {}, edit]) {
      begin();
      await expectOwnLoad(kept, () => change(1));
    }
  });

  test('INV-1: one at an older state does not let another one, which waits for an edit, have the ballot from before', async () => {
    const kept = keep();
    await read(kept);
    const before = state();
    change(1);
    let later: Promise<unknown> = Promise.resolve();
    whileLoading = () => {
      whileLoading = () => {};
      edit();
      later = read(kept);
      kept.find(before);
    };
    await read(kept);
    expect(await later).toEqual({ 1: 2, 2: 1, 3: 1, 4: 1 });
  });

  test('INV-1: none gets the ballot while the picks that a change touched are being loaded', async () => {
    const kept = keep();
    await read(kept);
    change(1);
    whileLoading = () => {
      expect(kept.find(state())).toBeUndefined();
    };
    expect(await read(kept)).toEqual({ 1: 2, 2: 1, 3: 1 });
  });
});

test('INV-1: after a failed load, the next request loads the same again', async () => {
  const kept = keep();
  const fail = () => {
    whileLoading = () => {};
    throw new Error('The database is away.');
  };
  whileLoading = fail;
  await expect(read(kept)).rejects.toThrow('away');
  expect(await read(kept)).toEqual({ 1: 1, 2: 1, 3: 1 });
  change(1);
  whileLoading = fail;
  await expect(read(kept)).rejects.toThrow('away');
  change(2);
  expect(await read(kept)).toEqual({ 1: 2, 2: 2, 3: 1 });
  expect(asked.at(-1)).toBe('picks of 1,2');
});

test('an election without contests is kept too, and gets its first one', async () => {
  contests = new Map();
  const kept = keep();
  expect([await read(kept), await read(kept)]).toEqual([{}, {}]);
  change(99);
  await read(kept);
  expect(asked).toEqual(['ballot']);
  edit();
  expect(await read(kept)).toEqual({ 1: 1 });
});

test('knows the contests of a loaded ballot', async () => {
  const kept = keep();
  expect(kept.has(1, state())).toBe(false);
  await read(kept);
  expect([kept.has(1, state()), kept.has(4, state())]).toEqual([true, false]);
  edit();
  expect(kept.has(1, state())).toBe(false);
});

test('its memory grows and shrinks with its picks', async () => {
  const kept = keep();
  await read(kept);
  const { bytes } = kept;
  expect(bytes).toBeGreaterThan(1000);
  edit();
  await read(kept);
  expect(kept.bytes).toBeGreaterThan(bytes);
});

test('INV-1: whatever happens meanwhile, a request shows its state or a later one', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('change' as const), contest: fc.integer({ min: 1, max: 4 }) }),
    ...(['edit', 'read', 'stale read', 'forget', 'fail'] as const).map((kind) =>
      fc.record({ kind: fc.constant(kind) }),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 30 }),
      fc.infiniteStream(fc.boolean()),
      async (steps, waits) => {
        contests = new Map([1, 2, 3].map((id) => [id, 1]));
        versions = { epoch: '1', sequence: 1, catalogue: '1', officeholders: '1' };
        log = [];
        remembered = 0;
        let fails = false;
        let release: (() => void)[] = [];
        whileLoading = async () => {
          if (fails) {
            fails = false;
            throw new Error('The database is away.');
          }
          if (waits.next().value) await new Promise<void>((resolve) => release.push(resolve));
        };
        const releaseAll = () => {
          for (const resolve of release) resolve();
          release = [];
        };
        const kept = keep();
        const reads: Promise<void>[] = [];
        let isOver = false;
        const readNow = (at: DataState, least: Map<number, number>) => {
          const check = async () => {
            const shown = await read(kept, at).catch(() => null);
            if (!shown) return;
            for (const [id, changes] of least) expect(shown[id]).toBeGreaterThanOrEqual(changes);
          };
          reads.push(check());
        };
        let earlier = { at: state(), least: new Map(contests) };
        for (const { kind, ...rest } of steps) {
          if (kind === 'change' && 'contest' in rest) change(rest.contest);
          if (kind === 'edit') edit();
          if (kind === 'forget') remembered = versions.sequence + 1;
          if (kind === 'fail') fails = true;
          if (kind === 'stale read') readNow(earlier.at, earlier.least);
          if (kind === 'read') {
            readNow(state(), new Map(contests));
            earlier = { at: state(), least: new Map(contests) };
          }
          if (waits.next().value) await new Promise(setImmediate);
          if (waits.next().value) releaseAll();
        }
        fails = false;
        const done = Promise.all(reads).then(() => (isOver = true));
        await until('the reads are over', async () => {
          releaseAll();
          await new Promise(setImmediate);
          return isOver;
        });
        await done;
        whileLoading = () => {};
        expect(await read(kept)).toEqual(Object.fromEntries(contests));
      },
    ),
  );
});
