import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../ops/commands/keys.ts';
import type { Random } from '../../ops/demo/random.ts';
import { SeparateNetwork } from '../helpers/faults/separate-network.ts';
import { stopWhenInterrupted } from '../helpers/service/interrupted.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { StreamChecker } from '../helpers/stream/stream-checker.ts';
import { FrameStore, StreamReader } from '../helpers/stream/stream-reader.ts';
import { until } from '../helpers/until.ts';
import { chooseFilter } from './ballot.ts';
import type { Cluster } from './cluster.ts';

/** As many as the plan allows, so that the account is at its limit when they return. */
const PLAN = { plan: 'partner', streams: 50 };
/** A reader that waits longer for its stream is locked out, in milliseconds. */
const LOCKED_OUT_MS = 90_000;
const GIVE_UP_MS = 10 * 60_000;
const MAX_STAY_MS = 10_000;
/** The permitted refusals: the places of the vanished streams are not free yet, or a gateway starts. */
const PASSING = ['429 too_many_streams', '503 warming_up', '503 server_busy'];

export interface VanishingReadersPlan {
  cluster: Cluster;
  random: Random;
  report: (line: string) => void;
}

/**
 * Readers of one account that is at its limit. All lose their network at a moment, without a word to the gateways, and
 * come back at once from another one. They wait as long as `Retry-After` says.
 */
export class VanishingReaders {
  /** The duration of each return, in milliseconds. */
  readonly returns: number[] = [];
  readonly #plan: VanishingReadersPlan & { network: SeparateNetwork; relays: readonly string[] };
  readonly #readers: StreamReader[];
  readonly #faults: string[] = [];
  readonly #forget = stopWhenInterrupted(async () => this.stop());
  /** The present address of the readers. */
  #address: string;

  private constructor(
    plan: VanishingReadersPlan & { network: SeparateNetwork; relays: readonly string[]; key: string },
  ) {
    this.#plan = plan;
    const { key, random, relays } = plan;
    this.#address = relays[0] ?? '';
    const frames = new FrameStore();
    this.#readers = Array.from({ length: PLAN.streams }, (_, index) => {
      const address = () => this.#address;
      const filter = chooseFilter(random);
      return new StreamReader({ name: `vanishing reader ${index}`, address, key, filter, frames });
    });
  }

  /** Null without a network to lose, which only root can make. */
  static async create(plan: VanishingReadersPlan): Promise<VanishingReaders | null> {
    const network = SeparateNetwork.create();
    if (!network) return null;
    const { databaseUrl, gateways } = plan.cluster;
    const key = await createKey({ databaseUrl, account: 'vanishing', plan: PLAN.plan });
    const ports = gateways.map(({ base }) => Number(new URL(base).port));
    const relays = await Promise.all(ports.map((port) => network.relay(port)));
    return new VanishingReaders({ ...plan, network, relays, key });
  }

  /** Lets them vanish and return until the signal aborts; they have all returned then. */
  async run(over: AbortSignal): Promise<void> {
    const { cluster, random, relays, network, report } = this.#plan;
    for (const reader of this.#readers) reader.start();
    for (let round = 0; !over.aborted; round += 1) {
      // Four rounds have every combination of the gateway that they leave and the one that they return to.
      const [left, entered] = [round % 2, Math.floor(round / 2) % 2];
      await this.#move(relays[left]);
      await sleep(random.below(MAX_STAY_MS), undefined, { signal: over }).catch(() => {});
      network.cut();
      const times = await this.#move(cluster.gateways[entered]?.base);
      network.mend();
      this.returns.push(...times);
      const seconds = (Math.max(...times) / 1000).toFixed(1);
      report(
        `all clients that vanished from gateway ${left} are back at gateway ${entered} after ${seconds} s`,
      );
    }
  }

  /**
   * Waits until the readers have come to the end of the stream.
   *
   * @param upTo the sequence of the end
   * @returns a sentence for each fault
   */
  async finish(upTo: number, timeoutMs: number): Promise<string[]> {
    const isDone = () => this.#readers.every(({ position }) => position >= upTo);
    await until('the vanishing readers reach the end', isDone, timeoutMs).catch(() => {});
    await Promise.all(this.#readers.map((reader) => reader.stop()));
    const checker = new StreamChecker(await loadChangeLog(this.#plan.cluster.databaseUrl));
    for (const { record, refusals } of this.#readers) {
      this.#faults.push(...checker.judge({ ...record, upTo }).faults);
      const wrong = [...refusals.keys()].filter((name) => !PASSING.includes(name));
      for (const name of wrong) this.#faults.push(`${record.name}: it was refused with ${name}.`);
    }
    return this.#faults;
  }

  stop(): void {
    this.#forget();
    this.#plan.network.remove();
  }

  /** Moves all readers to an address. @returns the duration of each move, in milliseconds */
  async #move(address = ''): Promise<number[]> {
    this.#address = address;
    const started = performance.now();
    return Promise.all(
      this.#readers.map(async (reader) => {
        const { name, connections } = reader.record;
        const before = connections.length;
        reader.cut();
        await until(`${name} is back`, () => connections.length > before, GIVE_UP_MS);
        const ms = performance.now() - started;
        if (ms > LOCKED_OUT_MS)
          this.#faults.push(`${name}: it was locked out for ${(ms / 1000).toFixed(0)} s.`);
        return ms;
      }),
    );
  }
}
