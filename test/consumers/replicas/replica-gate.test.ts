/** The gate of the relay, step by step, with replicas that answer at once. */
import { describe, expect, test } from '@jest/globals';
import { ReplicaGate } from '../../../consumers/relay/replicas/replica-gate.ts';
import { leasesEndedBy } from '../../../domain/replica-lease.ts';
import { createLog } from '../../../service/log.ts';
import type { ListedReplica } from '../../../store/replicas/registry.ts';
import { ManualClock, settle } from '../../helpers/service/manual-clock.ts';

/** A gate of a new leader, for replicas of which each shows every mark at once, or does not answer. */
async function openGate(known: readonly ListedReplica[], answering: readonly string[]) {
  const clock = new ManualClock();
  const lineage = 'this leader';
  const listed = new Map(known.map(({ instance, inUse }) => [instance, inUse]));
  const alive = new Set(answering);
  let number = 0;
  const registry = {
    lineage,
    raise: async () => {
      number += 1;
      return number;
    },
    admit: async ({ instance }: { instance: string }) => void listed.set(instance, true),
    exclude: async (instances: readonly string[]) => {
      for (const each of instances) listed.set(each, false);
    },
    confirm: async () => {},
  };
  const links = new Map(
    ['first', 'second'].map((name) => [
      name,
      {
        probe: async () => {
          if (!alive.has(name)) throw new Error('no answer');
          return { isReplica: true, instance: `run of ${name}`, lineage, number };
        },
      },
    ]),
  );
  const { signal } = new AbortController();
  const log = createLog('test', 'silent');
  const gate = await ReplicaGate.open(known, { registry, links, clock, signal, log });
  return { gate, clock, listed, alive };
}

const replica = (name: string, inUse: boolean) => ({ instance: `run of ${name}`, name, inUse });

/** How long changes wait at the gate, in milliseconds. */
async function waitOf({ gate, clock }: Awaited<ReturnType<typeof openGate>>): Promise<number> {
  const begun = clock.now();
  let passedAt = Number.NaN;
  gate.barrier().then(() => {
    passedAt = clock.now();
  });
  await settle();
  while (Number.isNaN(passedAt)) await clock.advance(10);
  return passedAt - begun;
}

/** How long leases last that began a moment ago, in milliseconds. */
const LEASES = leasesEndedBy(0);

describe('INV-1: the first changes of a new leader', () => {
  test.each<[string, ListedReplica[]]>([
    ['the only replica is out of use', [replica('first', false)]],
    ['one replica is out of use and another is in use', [replica('first', false), replica('second', true)]],
    [
      'a run of a replica is out of use and a later one is in use',
      [{ ...replica('first', true) }, { ...replica('first', false), instance: 'an earlier run' }],
    ],
  ])('wait for leases that the leader before may have ended, if %s', async (_, known) => {
    expect(await waitOf(await openGate(known, ['first', 'second']))).toBe(LEASES);
  });

  test('wait for the leases of a replica that does not answer', async () => {
    const opened = await openGate([replica('first', true), replica('second', true)], ['second']);
    expect(opened.listed).toEqual(
      new Map([
        ['run of first', false],
        ['run of second', true],
      ]),
    );
    expect(await waitOf(opened)).toBe(LEASES);
  });

  test('do not wait if every replica is in use and shows them', async () => {
    expect(await waitOf(await openGate([replica('first', true)], ['first']))).toBe(0);
  });
});
