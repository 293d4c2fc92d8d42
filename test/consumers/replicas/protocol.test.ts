/*
 * A simulation of the protocol of read replicas: the real gate of the relay and the real leases of gateways,
 * with a primary, replicas and a network in memory. Waits and answers take random times, and any part can be
 * cut off, paused, slowed or restarted. No published change may be missing from a read.
 */
import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ReplicaGate } from '../../../consumers/relay/replicas/replica-gate.ts';
import { RENEW_MS } from '../../../domain/replica-lease.ts';
import { ReplicaLeases } from '../../../gateway/replicas/replica-leases.ts';
import type { Clock } from '../../../service/clock.ts';
import { SupersededError } from '../../../service/failure.ts';
import { createLog } from '../../../service/log.ts';
import type { ListedReplica } from '../../../store/replicas/registry.ts';
import type { ReplicaState } from '../../../store/replicas/replica-link.ts';

const log = createLog('test', 'silent');

/** Time that moves from one timer to the next. */
class Timeline {
  now = 0;
  #timers: { at: number; fire: () => void }[] = [];

  after(ms: number): Promise<void> {
    return new Promise((fire) => this.#timers.push({ at: this.now + Math.max(0, ms), fire }));
  }

  /** A process's clock, which runs faster or slower than others. */
  clock(speed: number): Pick<Clock, 'now' | 'wait'> {
    return {
      now: () => this.now * speed,
      wait: (ms, signal) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve(), { once: true });
          if (signal.aborted) resolve();
          void this.after(ms / speed).then(resolve);
        }),
    };
  }

  async run(until: number): Promise<void> {
    for (;;) {
      await setImmediate();
      this.#timers.sort((a, b) => a.at - b.at);
      const next = this.#timers[0];
      if (next === undefined || next.at > until) return;
      this.#timers.shift();
      this.now = next.at;
      next.fire();
    }
  }
}

/** The committed state of the primary. Replicas show one of its past states. */
interface State {
  /** The number of changes. */
  changes: number;
  lineage: string;
  number: number;
}

class World {
  readonly time = new Timeline();
  readonly random: () => number;
  /** Every state, in the order of commits. */
  readonly log: State[] = [{ changes: 0, lineage: '', number: 0 }];
  replicas = [0, 1].map((place) => ({ run: `${place}.0`, shown: 0, paused: false, delayMs: 1 }));
  listed = new Map<string, boolean>();
  published = 0;
  /** Whether connections are cut: from the relay to a replica, and from a gateway to the primary. */
  readonly cut = { relay: [false, false], gateway: [false, false] };
  readonly problems: string[] = [];
  reads = 0;
  #lineages = 0;

  constructor(random: () => number) {
    this.random = random;
  }

  get state(): State {
    const last = this.log.at(-1);
    if (!last) throw new Error('There is no state.');
    return last;
  }

  /** A request, work, and an answer. */
  async call<T>(work: () => T): Promise<T> {
    await this.time.after(this.random() * 20);
    const result = work();
    await this.time.after(this.random() * 20);
    return result;
  }

  probe(place: number): Promise<ReplicaState> {
    return this.call(() => {
      const replica = this.replicas[place];
      if (!replica || this.cut.relay[place]) throw new Error('cut');
      const { lineage, number } = this.log[replica.shown] ?? this.state;
      return { isReplica: true, instance: replica.run, lineage, number };
    });
  }

  /** One leader's view of the primary's list. */
  async begin(): Promise<{
    registry: Parameters<typeof ReplicaGate.open>[1]['registry'];
    known: ListedReplica[];
  }> {
    this.#lineages += 1;
    const lineage = String(this.#lineages);
    const write = (work: () => void) => {
      if (this.state.lineage !== lineage) throw new SupersededError('another leader');
      work();
    };
    return this.call(() => {
      this.log.push({ ...this.state, lineage, number: 0 });
      const registry = {
        lineage,
        raise: () =>
          this.call(() => {
            write(() => this.log.push({ ...this.state, number: this.state.number + 1 }));
            return this.state.number;
          }),
        admit: ({ instance }: { instance: string }) =>
          this.call(() => write(() => this.listed.set(instance, true))),
        exclude: (instances: readonly string[]) =>
          this.call(() =>
            write(() => {
              for (const each of instances) this.listed.set(each, false);
            }),
          ),
        confirm: () => this.call(() => write(() => {})),
      };
      const known = [...this.listed].map(([instance, inUse]) => ({ instance, name: instance, inUse }));
      return { registry, known };
    });
  }

  /** Replays the log on a replica at random times. */
  async replay(place: number): Promise<void> {
    for (;;) {
      const replica = this.replicas[place];
      if (!replica) return;
      await this.time.after(replica.delayMs * (1 + this.random()));
      if (!replica.paused && replica.shown < this.log.length - 1) replica.shown += 1;
    }
  }

  async changeAgainAndAgain(): Promise<void> {
    for (;;) {
      await this.time.after(this.random() * 200);
      this.log.push({ ...this.state, changes: this.state.changes + 1 });
    }
  }

  /** Terms of leaders, one after the other. An earlier one can continue for a while. */
  async relay(speed: number, announcesEarly: boolean): Promise<void> {
    const clock = this.time.clock(speed);
    for (;;) {
      const ended = new AbortController();
      const { registry, known } = await this.begin();
      const links = new Map([0, 1].map((place) => [String(place), { probe: () => this.probe(place) }]));
      const endsAt = this.time.now + 2000 + this.random() * 20_000;
      const term = async () => {
        const gate = await ReplicaGate.open(known, { registry, links, clock, signal: ended.signal, log });
        const tend = async () => {
          for (;;) {
            await gate.tend();
            await clock.wait(1000, ended.signal);
          }
        };
        void tend().catch(() => ended.abort());
        for (;;) {
          const { changes } = this.state;
          if (!announcesEarly) await gate.barrier();
          this.published = Math.max(this.published, changes);
          await this.time.after(10);
        }
      };
      await Promise.race([term().catch(() => {}), this.time.after(endsAt - this.time.now)]);
      // A leader without its lock notices the loss a little later, or never.
      void this.time.after(this.random() * 3000).then(() => ended.abort());
    }
  }

  async gateway(place: number, speed: number): Promise<void> {
    const clock = this.time.clock(speed);
    const never = new AbortController().signal;
    const leases = new ReplicaLeases(
      () =>
        this.call(() => {
          if (this.cut.gateway[place]) throw new Error('cut');
          return [...this.listed].filter(([, inUse]) => inUse).map(([instance]) => instance);
        }),
      clock,
    );
    const renew = async () => {
      for (;;) {
        await leases.renew().catch(() => {});
        await clock.wait(RENEW_MS, never);
      }
    };
    void renew();
    for (;;) {
      await this.time.after(this.random() * 30);
      for (const replica of this.replicas) {
        if (!leases.holds(replica.run)) continue;
        this.reads += 1;
        const needed = this.published;
        const { run } = replica;
        // The read begins now, and reaches the replica a little later.
        void this.time.after(this.random() * 50).then(() => {
          const shown = this.log[replica.shown]?.changes ?? 0;
          if (replica.run === run && shown < needed) {
            this.problems.push(`at ${Math.round(this.time.now)}: ${shown} of ${needed} on ${run}`);
          }
        });
      }
    }
  }

  async disturb(): Promise<void> {
    for (let runs = 1; ; runs += 1) {
      await this.time.after(this.random() * 4000);
      const place = this.random() < 0.5 ? 0 : 1;
      const replica = this.replicas[place];
      if (!replica) return;
      const kind = Math.floor(this.random() * 6);
      if (kind === 0) replica.paused = !replica.paused;
      if (kind === 1) replica.delayMs = this.random() < 0.5 ? 1 : 400;
      if (kind === 2) this.cut.relay[place] = !this.cut.relay[place];
      if (kind === 3) this.cut.gateway[place] = !this.cut.gateway[place];
      if (kind === 4) {
        // After a restart, the replica first shows an earlier state.
        replica.run = `${place}.${runs}`;
        replica.shown = Math.max(0, replica.shown - 20);
      }
      if (kind === 5) {
        replica.paused = false;
        replica.delayMs = 1;
        this.cut.relay[place] = false;
        this.cut.gateway[place] = false;
      }
    }
  }
}

async function simulate(seed: number, { announcesEarly = false } = {}): Promise<World> {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const world = new World(random);
  const speed = () => 0.995 + random() * 0.01;
  void world.changeAgainAndAgain();
  for (const place of [0, 1]) void world.replay(place);
  for (const place of [0, 1]) void world.gateway(place, speed());
  void world.relay(speed(), announcesEarly);
  void world.disturb();
  await world.time.run(30_000);
  return world;
}

const seeds = fc.integer({ min: 0, max: 2 ** 32 - 1 });

test('INV-1: whatever fails, no read of a replica lacks a change published before it began', async () => {
  let reads = 0;
  await fc.assert(
    fc.asyncProperty(seeds, async (seed) => {
      const world = await simulate(seed);
      reads += world.reads;
      expect(world.problems).toEqual([]);
      expect(world.published).toBeGreaterThan(0);
    }),
    { numRuns: 8 },
  );
  expect(reads).toBeGreaterThan(1000);
});

test('the simulation notices a relay that does not wait', async () => {
  const world = await simulate(1, { announcesEarly: true });
  expect(world.problems.length).toBeGreaterThan(0);
});
