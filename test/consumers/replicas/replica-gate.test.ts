/** The gate of the relay, step by step, on a clock of the test. */
import { beforeEach, describe, expect, test } from '@jest/globals';
import { ReplicaGate } from '../../../consumers/relay/replicas/replica-gate.ts';
import { leasesEndedBy } from '../../../domain/replica-lease.ts';
import { createLog } from '../../../service/log.ts';
import type { ListedReplica } from '../../../store/replicas/registry.ts';
import type { ReplicaState } from '../../../store/replicas/replica-link.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

const LINEAGE = 'this leader';
/** How long leases last that began a moment ago, in milliseconds. */
const LEASES = leasesEndedBy(0);

let clock: ManualClock;
/** Ends the term of the leader. */
let term: AbortController;
/** The primary's list: whether a run of a replica is in use. */
let listed: Map<string, boolean>;
/** The number of the newest mark. */
let mark: number;
/** How long the primary takes to take a replica out of use, in milliseconds. */
let excludeMs: number;
let beforeRaise: () => void;
/** How often the gate has told the primary that it watches the replicas in use. */
let confirmations: number;
/** The replicas that do not answer, those that show no mark, and by name: their runs. */
let silent: Set<string>;
let late: Set<string>;
/** By name: what a replica says besides the usual. */
let unusual: Map<string, Partial<ReplicaState>>;
const runs = new Map<string, string>();

beforeEach(() => {
  clock = new ManualClock();
  term = new AbortController();
  listed = new Map();
  mark = 0;
  excludeMs = 0;
  beforeRaise = () => {};
  confirmations = 0;
  [silent, late, unusual] = [new Set(), new Set(), new Map()];
  runs.clear();
});

const registry = {
  lineage: LINEAGE,
  async raise() {
    beforeRaise();
    mark += 1;
    return mark;
  },
  admit: async ({ instance }: { instance: string }) => void listed.set(instance, true),
  async exclude(instances: readonly string[]) {
    if (excludeMs > 0) await clock.wait(excludeMs, term.signal);
    for (const each of instances) listed.set(each, false);
  },
  confirm: async () => {
    confirmations += 1;
  },
};

const runOf = (name: string) => runs.get(name) ?? `run of ${name}`;
const replica = (name: string, inUse: boolean) => ({ instance: runOf(name), name, inUse });

/** The gate of a new leader, which finds this list. */
function openGate(...known: ListedReplica[]): Promise<ReplicaGate> {
  for (const { instance, inUse } of known) listed.set(instance, inUse);
  const probe = async (name: string) => {
    if (silent.has(name)) throw new Error('no answer');
    const number = late.has(name) ? 0 : mark;
    return { isReplica: true, instance: runOf(name), lineage: LINEAGE, number, ...unusual.get(name) };
  };
  const links = new Map(['first', 'second'].map((name) => [name, { probe: () => probe(name) }]));
  const { signal } = term;
  return ReplicaGate.open(known, { registry, links, clock, signal, log: createLog('test', 'silent') });
}

/** Waits for some work of the gate. @returns how long it took, in milliseconds */
async function timeOf(work: Promise<void>): Promise<number> {
  const begun = clock.now();
  let endedAt = Number.NaN;
  work.then(() => {
    endedAt = clock.now();
  });
  await settle();
  while (Number.isNaN(endedAt)) await clock.advance(10);
  return endedAt - begun;
}

describe('INV-1: the first changes of a new leader', () => {
  const [used, unused] = [replica('second', true), replica('first', false)];
  const earlierRun = { ...unused, instance: 'an earlier run' };
  test.each<[string, ListedReplica[]]>([
    ['the only replica is out of use', [unused]],
    ['one replica is out of use and another is in use', [used, unused]],
    ['a run of a replica is out of use and a later one is in use', [replica('first', true), earlierRun]],
  ])('wait for leases that the leader before may have ended, if %s', async (_, known) => {
    const gate = await openGate(...known);
    expect(await timeOf(gate.barrier())).toBe(LEASES);
  });

  test('wait for the leases of a replica that does not answer', async () => {
    silent.add('first');
    const gate = await openGate(replica('first', true), replica('second', true));
    expect([...listed.values()]).toEqual([false, true]);
    expect(await timeOf(gate.barrier())).toBe(LEASES);
  });

  test('do not wait if every replica is in use and shows them', async () => {
    const gate = await openGate(replica('first', true));
    expect(await timeOf(gate.barrier())).toBe(0);
  });
});

describe('INV-1: changes', () => {
  test('that are committed during a pass of the gate wait for a mark of their own', async () => {
    const gate = await openGate(replica('first', true));
    late.add('first');
    const earlier = gate.barrier();
    await settle();
    expect(mark).toBe(1);
    const later = gate.barrier();
    late.clear();
    await timeOf(Promise.all([earlier, later]).then(() => {}));
    expect(mark).toBe(2);
  });

  test('that wait before a pass begins share its mark', async () => {
    const gate = await openGate(replica('first', true));
    await timeOf(Promise.all([gate.barrier(), gate.barrier()]).then(() => {}));
    expect(mark).toBe(1);
    await timeOf(gate.barrier());
    expect(mark).toBe(2);
  });

  test.each([
    ['silent', () => silent],
    ['late', () => late],
  ])('pass without an exclusion if a replica is %s for less than a second', async (_, failing) => {
    const gate = await openGate(replica('first', true));
    failing().add('first');
    const passed = timeOf(gate.barrier());
    await clock.advance(900);
    failing().clear();
    expect(await passed).toBeLessThan(1000);
    expect(listed.get(runOf('first'))).toBe(true);
  });

  test('wait for the leases of a late replica from the moment at which it is out of use', async () => {
    const gate = await openGate(replica('first', true));
    late.add('first');
    excludeMs = 500;
    expect(await timeOf(gate.barrier())).toBeGreaterThanOrEqual(1000 + excludeMs + LEASES);
  });
});

describe('INV-1: a leader whose term ends', () => {
  /** Ends the term while changes wait. @returns the name of their error, and the time for which they still waited */
  async function endDuring(passing: Promise<void>): Promise<[string, number]> {
    const failure = passing.then(
      () => 'none',
      ({ name }: Error) => name,
    );
    await settle();
    await clock.advance(10);
    const endedAt = clock.now();
    term.abort();
    const name = await failure;
    return [name, clock.now() - endedAt];
  }

  test('publishes nothing, and takes no replica out of use that has not shown the mark yet', async () => {
    const gate = await openGate(replica('first', true));
    late.add('first');
    expect(await endDuring(gate.barrier())).toEqual(['SupersededError', 0]);
    expect(listed.get(runOf('first'))).toBe(true);
  });

  test('publishes nothing before leases have ended', async () => {
    const gate = await openGate(replica('first', false));
    expect(await endDuring(gate.barrier())).toEqual(['SupersededError', 0]);
  });
});

test.each<[string, Partial<ReplicaState>, number]>([
  ['was promoted', { isReplica: false }, LEASES],
  ['runs anew', { instance: 'the next run' }, LEASES],
  ['shows the mark of another leader', { lineage: 'another leader', number: 99 }, 1000 + LEASES],
])('INV-1: a replica that %s is out of use before changes are published', async (_, state, waitMs) => {
  const gate = await openGate(replica('first', true));
  unusual.set('first', state);
  expect(await timeOf(gate.barrier())).toBeGreaterThanOrEqual(waitMs);
  expect(listed.get(runOf('first'))).toBe(false);
});

test('INV-1: a replica that is late at a look is out of use before the primary is told that it is watched', async () => {
  const gate = await openGate(replica('first', true));
  late.add('first');
  await timeOf(gate.tend());
  expect([listed.get(runOf('first')), confirmations]).toEqual([false, 0]);
});

test('the primary is told at each look that the replicas in use are watched', async () => {
  const gate = await openGate(replica('first', true));
  for (const looks of [1, 2]) {
    await timeOf(gate.tend());
    expect(confirmations).toBe(looks);
  }
});

describe('a replica out of use', () => {
  const isUsed = () => listed.get(runOf('first')) === true;

  /** Tends the replicas once a second. @returns the seconds until the replica is in use */
  async function secondsUntilUsed(gate: ReplicaGate): Promise<number> {
    for (let seconds = 0; ; seconds += 1) {
      await timeOf(gate.tend());
      if (isUsed()) return seconds;
      await clock.advance(1000);
    }
  }

  test('is used after two seconds, and from its second exclusion on after twice as long each time', async () => {
    const gate = await openGate();
    silent.add('second');
    const seconds: number[] = [await secondsUntilUsed(gate)];
    for (let exclusion = 0; exclusion < 3; exclusion += 1) {
      late.add('first');
      await timeOf(gate.barrier());
      expect(isUsed()).toBe(false);
      late.clear();
      seconds.push(await secondsUntilUsed(gate));
    }
    expect(seconds).toEqual([2, 2, 4, 8]);
  });

  test('returns after two seconds again once it has been in use for more than an hour', async () => {
    const gate = await openGate();
    silent.add('second');
    const seconds: number[] = [await secondsUntilUsed(gate)];
    for (let exclusion = 0; exclusion < 3; exclusion += 1) {
      await clock.advance(61 * 60_000);
      late.add('first');
      await timeOf(gate.barrier());
      late.clear();
      seconds.push(await secondsUntilUsed(gate));
    }
    expect(seconds).toEqual([2, 2, 2, 2]);
  });

  test('begins its trial again after a restart', async () => {
    const gate = await openGate();
    await timeOf(gate.tend());
    await clock.advance(1000);
    runs.set('first', 'the next run');
    expect(await secondsUntilUsed(gate)).toBe(2);
  });

  test.each([
    ['does not answer', () => silent],
    ['falls behind', () => late],
  ])('begins its trial again after a moment in which it %s', async (_, failing) => {
    const gate = await openGate();
    await timeOf(gate.tend());
    await clock.advance(1000);
    failing().add('first');
    await timeOf(gate.tend());
    await clock.advance(1000);
    failing().clear();
    expect(await secondsUntilUsed(gate)).toBe(2);
  });

  test('stays out of use if it falls behind at the last moment', async () => {
    const gate = await openGate();
    silent.add('second');
    // Each look at the replica raises the mark once, and its admission once more.
    beforeRaise = () => {
      if (mark === 3) late.add('first');
    };
    for (let second = 0; second < 3; second += 1) {
      await timeOf(gate.tend());
      await clock.advance(1000);
    }
    expect([mark, isUsed()]).toEqual([4, false]);
    late.clear();
    await timeOf(gate.tend());
    expect(isUsed()).toBe(true);
  });
});
