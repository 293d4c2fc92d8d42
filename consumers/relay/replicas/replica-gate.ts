import { leasesEndedBy } from '../../../domain/replica-lease.ts';
import type { Clock } from '../../../service/clock.ts';
import { SupersededError } from '../../../service/failure.ts';
import type { Logger } from '../../../service/log.ts';
import type { ListedReplica, ReplicaRegistry } from '../../../store/replicas/registry.ts';
import type { ReplicaLink, ReplicaState } from '../../../store/replicas/replica-link.ts';
import { replicaExclusions, replicaInUse, replicaLag, replicaWait } from './metrics.ts';

/** The time within which a replica must show the mark to stay in use, in milliseconds. */
const LAG_LIMIT_MS = 1000;
/** The time within which a replica must show the mark to return, in milliseconds. Changes wait no longer for it. */
const RETURN_LIMIT_MS = 150;
/** The time for which a replica must keep up before it is in use, in milliseconds. Each exclusion doubles it. */
const MIN_PROBATION_MS = 2000;
const MAX_PROBATION_MS = 5 * 60_000;
/** The time in use after which a replica's earlier exclusions no longer count, in milliseconds. */
const FORGIVEN_MS = 60 * 60_000;
const MAX_PAUSE_MS = 16;

export interface GateOptions {
  registry: Pick<ReplicaRegistry, 'lineage' | 'raise' | 'admit' | 'exclude' | 'confirm'>;
  /** The usable replicas, by name. */
  links: ReadonlyMap<string, Pick<ReplicaLink, 'probe'>>;
  /** Monotonic. */
  clock: Pick<Clock, 'now' | 'wait'>;
  /** Aborts when this process no longer leads. */
  signal: AbortSignal;
  log: Logger;
}

/** A replica in use, or a candidate. */
interface Member {
  name: string;
  instance: string;
  link: Pick<ReplicaLink, 'probe'>;
}

/** The trial of a replica out of use. */
interface Trial {
  instance: string;
  /** The time since which it has kept up. */
  since: number;
}

/**
 * Delays changes until every replica that a gateway may read from shows them (INV-1). Before changes are
 * published without a late replica, it is taken out of use, and the gateways' leases on it end.
 *
 * Passes and returns of replicas happen one at a time. Errors of the primary end the leader's term: the next
 * term begins with the primary's list.
 */
export class ReplicaGate {
  readonly #options: GateOptions;
  /** By instance, with the time since which it is in use. */
  readonly #inUse = new Map<string, Member & { since: number }>();
  readonly #trials = new Map<string, Trial>();
  readonly #probations = new Map<string, number>();
  /** The time by which the leases of excluded replicas have ended. */
  #safeAt = Number.NEGATIVE_INFINITY;
  #turn: Promise<unknown> = Promise.resolve();
  /** The pass that has not begun yet. */
  #next: Promise<void> | undefined;

  private constructor(options: GateOptions) {
    this.#options = options;
    for (const name of options.links.keys()) replicaInUse.set({ replica: name }, 0);
  }

  /** @param known the primary's list at the beginning of this lineage */
  static async open(known: readonly ListedReplica[], options: GateOptions): Promise<ReplicaGate> {
    const gate = new ReplicaGate(options);
    // The previous leader may have taken a replica out of use a moment ago.
    if (known.some(({ inUse }) => !inUse)) gate.#safeAt = leasesEndedBy(options.clock.now());
    const seen = await Promise.all(
      [...options.links].map(async ([name, link]) => ({ name, link, state: await probe(link) })),
    );
    const lost: { instance: string; name: string }[] = [];
    for (const { instance, name } of known.filter(({ inUse }) => inUse)) {
      const found = seen.find(({ state }) => state?.instance === instance);
      if (found) gate.#use({ name: found.name, link: found.link, instance });
      else lost.push({ instance, name });
    }
    await gate.#exclude(lost);
    return gate;
  }

  /** Resolves when every replica that a gateway may read from shows all changes committed before the call. */
  barrier(): Promise<void> {
    this.#next ??= this.#take(async () => {
      this.#next = undefined;
      await this.#awaitReplicas();
    });
    return this.#next;
  }

  /** Confirms the replicas in use, excludes late ones, and tries the others. Rejects with the primary's errors. */
  async tend(): Promise<void> {
    await this.barrier();
    if (this.#inUse.size > 0) await this.#options.registry.confirm();
    const used = new Set([...this.#inUse.values()].map(({ name }) => name));
    const others = [...this.#options.links].filter(([name]) => !used.has(name));
    await Promise.all(others.map(([name, link]) => this.#try(name, link)));
  }

  /** Runs work when its turn comes. */
  #take<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#turn.then(work);
    this.#turn = result.catch(() => {});
    return result;
  }

  async #awaitReplicas(): Promise<void> {
    const { registry, clock, signal } = this.#options;
    const startedAt = clock.now();
    const members = [...this.#inUse.values()];
    if (members.length > 0) {
      const number = await registry.raise();
      const shown = await Promise.all(members.map((member) => this.#shows(member, number, LAG_LIMIT_MS)));
      this.#requireTerm();
      await this.#exclude(members.filter((_, index) => !shown[index]));
    }
    while (clock.now() < this.#safeAt && !signal.aborted) {
      await clock.wait(this.#safeAt - clock.now(), signal);
    }
    this.#requireTerm();
    replicaWait.observe((clock.now() - startedAt) / 1000);
  }

  /** @throws SupersededError if this process no longer leads */
  #requireTerm(): void {
    if (this.#options.signal.aborted) throw new SupersededError('This process no longer leads the relay.');
  }

  /** Tries a replica out of use, and puts it into use after it has kept up for long enough. */
  async #try(name: string, link: Member['link']): Promise<void> {
    const { registry, clock, log } = this.#options;
    const state = await probe(link);
    if (state === null) return void this.#trials.delete(name);
    const member = { name, link, instance: state.instance };
    if (!(await this.#shows(member, await registry.raise(), RETURN_LIMIT_MS))) {
      this.#trials.delete(name);
      return;
    }
    const trial = this.#trials.get(name);
    if (trial?.instance !== state.instance) {
      this.#trials.set(name, { instance: state.instance, since: clock.now() });
      return;
    }
    if (clock.now() - trial.since < (this.#probations.get(name) ?? MIN_PROBATION_MS)) return;
    await this.#take(async () => {
      // Nothing is published meanwhile. The replica shows everything published so far, and later changes wait
      // for it.
      if (!(await this.#shows(member, await registry.raise(), RETURN_LIMIT_MS))) return;
      this.#use(member);
      await registry.admit(member);
      log.info({ replica: name }, 'the replica is in use');
    });
  }

  #use(member: Member): void {
    this.#trials.delete(member.name);
    this.#inUse.set(member.instance, { ...member, since: this.#options.clock.now() });
    replicaInUse.set({ replica: member.name }, 1);
  }

  async #exclude(late: readonly { instance: string; name: string }[]): Promise<void> {
    if (late.length === 0) return;
    const { registry, clock, log } = this.#options;
    await registry.exclude(late.map(({ instance }) => instance));
    this.#safeAt = leasesEndedBy(clock.now());
    for (const { instance, name } of late) {
      const since = this.#inUse.get(instance)?.since ?? clock.now();
      if (clock.now() - since > FORGIVEN_MS) this.#probations.delete(name);
      this.#inUse.delete(instance);
      const before = this.#probations.get(name) ?? MIN_PROBATION_MS / 2;
      this.#probations.set(name, Math.min(2 * before, MAX_PROBATION_MS));
      replicaInUse.set({ replica: name }, 0);
      replicaExclusions.inc({ replica: name });
      log.warn(
        { replica: name },
        'the replica is out of use: it is late, unreachable or no longer a replica',
      );
    }
  }

  /** Whether a run of a replica shows a mark within `limitMs` milliseconds. */
  async #shows({ name, instance, link }: Member, number: number, limitMs: number): Promise<boolean> {
    const { registry, clock, signal } = this.#options;
    const startedAt = clock.now();
    const ended = new AbortController();
    const over = clock.wait(limitMs, AbortSignal.any([signal, ended.signal])).then(() => null);
    try {
      for (let pauseMs = 1; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
        const state = await Promise.race([over, probe(link).then((found) => ({ found }))]);
        if (state === null) return false;
        const { found } = state;
        if (found && (!found.isReplica || found.instance !== instance)) return false;
        if (found && found.lineage === registry.lineage && found.number >= number) {
          replicaLag.set({ replica: name }, (clock.now() - startedAt) / 1000);
          return true;
        }
        await clock.wait(pauseMs, signal);
        if (clock.now() - startedAt >= limitMs || signal.aborted) return false;
      }
    } finally {
      ended.abort();
    }
  }
}

function probe(link: Pick<ReplicaLink, 'probe'>): Promise<ReplicaState | null> {
  return link.probe().catch(() => null);
}
