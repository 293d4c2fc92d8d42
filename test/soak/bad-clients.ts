import { GreedyClients } from './greedy-clients.ts';
import { Reads } from './reads.ts';
import { VanishingReaders, type VanishingReadersPlan } from './vanishing-readers.ts';

const READS = ['/v1/endorsements?limit=100', '/v1/contests?states=OR', '/v1/elections'];
const READ_EVERY_MS = 100;
/** An ordinary read may take this long while gateways are killed, in milliseconds. */
const MAX_READ_MS = 10_000;

export interface BadClientsVerdict {
  faults: string[];
  /** The acts of slow and flooding clients. */
  greedy: GreedyClients['counts'];
  /** The durations of returns of vanished clients, in milliseconds. */
  returns: number[];
  /** The durations of the reads of an ordinary client beside them, in milliseconds. */
  reads: number[];
}

/** Clients that vanish, read slowly or flood, and an ordinary client that reads meanwhile. */
export class BadClients {
  readonly #plan: VanishingReadersPlan;
  readonly #vanishing: VanishingReaders | null;
  readonly #greedy: GreedyClients;
  #reads: Reads | undefined;

  private constructor(plan: VanishingReadersPlan, vanishing: VanishingReaders | null, greedy: GreedyClients) {
    this.#plan = plan;
    this.#vanishing = vanishing;
    this.#greedy = greedy;
  }

  static async create(plan: VanishingReadersPlan): Promise<BadClients> {
    const greedy = await GreedyClients.create(plan.cluster);
    const vanishing = await VanishingReaders.create(plan);
    if (!vanishing) plan.report('nobody vanishes, because only root can make a network');
    return new BadClients(plan, vanishing, greedy);
  }

  /** Runs all of them until the signal aborts. */
  async run(over: AbortSignal): Promise<void> {
    const { gateways, key } = this.#plan.cluster;
    const bases = gateways.map(({ base }) => base);
    this.#reads = new Reads({ bases, key, paths: READS, pauseMs: READ_EVERY_MS }, over);
    await Promise.all([this.#reads.done, this.#greedy.run(over), this.#vanishing?.run(over)]);
  }

  /** @param upTo the sequence of the end of the stream, which the vanishing clients must reach in `timeoutMs` */
  async finish(upTo: number, timeoutMs: number): Promise<BadClientsVerdict> {
    const answers = this.#reads?.take() ?? [];
    const late = answers
      .filter(({ status, ms }) => status !== 200 || ms > MAX_READ_MS)
      .map(({ path, status, ms }) => `${path} was answered ${status} after ${ms.toFixed(0)} ms.`);
    return {
      faults: [...late, ...((await this.#vanishing?.finish(upTo, timeoutMs)) ?? [])],
      greedy: this.#greedy.counts,
      returns: this.#vanishing?.returns ?? [],
      reads: answers.map(({ ms }) => ms),
    };
  }

  stop(): void {
    this.#vanishing?.stop();
  }
}
