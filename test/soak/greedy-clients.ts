/** Clients that read slowly or never, and an account that floods the gateways with requests. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '../../ops/commands/keys.ts';
import type { Cluster } from './cluster.ts';

const SLOW_PATHS = [
  '/v1/stream?from=earliest',
  '/v1/events?from=earliest&limit=1000',
  '/v1/endorsements',
  '/v1/recommendations',
];
/** Bytes a second that slow clients read. */
const SLOW_RATES = [4096, 0];
/** Slow clients of each path, rate and gateway. */
const SLOW_CLIENTS = 3;
/** Longer than a gateway waits for a client that takes nothing, in milliseconds. */
const SLOW_LIFE_MS = 45_000;
/** Requests on a connection before the first answer. */
const PIPELINED = 60;
/** Reopened streams of the flooding account for each gateway, and its connections with and without a key. */
const REFUSED_STREAMS = 8;
const FLOODS = 2;
const PAUSE_MS = 50;

const write = (path: string, key: string | null, more = '') =>
  `GET ${path} HTTP/1.1\r\nHost: a\r\n${key === null ? '' : `Authorization: Bearer ${key}\r\n`}${more}\r\n`;

export class GreedyClients {
  readonly counts = { slow: 0, answers: {} as Record<string, number>, longestRetryAfter: 0 };
  readonly #bases: string[];
  readonly #keys: { slow: string; flood: string };

  private constructor(bases: string[], keys: { slow: string; flood: string }) {
    this.#bases = bases;
    this.#keys = keys;
  }

  static async create({ databaseUrl, gateways }: Cluster): Promise<GreedyClients> {
    const slow = await createKey({ databaseUrl, account: 'slow', plan: 'partner' });
    const flood = await createKey({ databaseUrl, account: 'flood', plan: 'free' });
    return new GreedyClients(
      gateways.map(({ base }) => base),
      { slow, flood },
    );
  }

  /** Reads slowly and floods until the signal aborts. */
  async run(over: AbortSignal): Promise<void> {
    const again = async (act: () => Promise<unknown>) => {
      while (!over.aborted) {
        await act().catch(() => {});
        await sleep(PAUSE_MS);
      }
    };
    const times = (count: number, act: () => Promise<unknown>) =>
      Array.from({ length: count }, () => again(act));
    await Promise.all(
      this.#bases.flatMap((base) => [
        ...SLOW_PATHS.flatMap((path) =>
          SLOW_RATES.flatMap((rate) =>
            times(SLOW_CLIENTS, () => this.#readSlowly(base, { path, rate, over })),
          ),
        ),
        ...times(FLOODS, () => this.#flood(base, null)),
        ...times(FLOODS, () => this.#flood(base, this.#keys.flood)),
        ...times(REFUSED_STREAMS, () => this.#openStream(base, over)),
      ]),
    );
  }

  /** Reads an answer at a rate until the gateway disconnects, or for a while. */
  async #readSlowly(
    base: string,
    { path, rate, over }: { path: string; rate: number; over: AbortSignal },
  ): Promise<void> {
    const { port, hostname } = new URL(base);
    const socket = connect(Number(port), hostname).on('error', () => {});
    socket.pause();
    socket.write(write(path, this.#keys.slow, 'Accept: application/x-ndjson, */*\r\n'));
    this.counts.slow += 1;
    const deadline = performance.now() + SLOW_LIFE_MS;
    while (!socket.destroyed && !over.aborted && performance.now() < deadline) {
      if (rate > 0) socket.read(Math.min(rate, socket.readableLength));
      await sleep(1000);
    }
    socket.destroy();
  }

  /** Sends many requests at once, and counts the answers by their status. */
  async #flood(base: string, key: string | null): Promise<void> {
    const { port, hostname } = new URL(base);
    const socket = connect(Number(port), hostname);
    const closed = once(socket, 'close');
    socket.setEncoding('latin1').on('data', (text: string) => {
      for (const [, status = ''] of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) this.#count(status);
    });
    const requests = write('/v1/states', key).repeat(PIPELINED - 1);
    socket.write(requests + write('/v1/states', key, 'Connection: close\r\n'));
    await closed;
  }

  /** Opens a stream of an account at its limit, and waits as long as its refusal says. */
  async #openStream(base: string, over: AbortSignal): Promise<void> {
    const headers = { Authorization: `Bearer ${this.#keys.flood}` };
    const response = await fetch(`${base}/v1/stream`, { headers, signal: over });
    this.#count(`${response.status} of a stream`);
    const seconds = Number(response.headers.get('Retry-After') ?? 0);
    this.counts.longestRetryAfter = Math.max(this.counts.longestRetryAfter, seconds);
    // An open stream is held until it ends.
    for await (const _ of response.body ?? []);
    await sleep(seconds * 1000, undefined, { signal: over });
  }

  #count(answer: string): void {
    this.counts.answers[answer] = (this.counts.answers[answer] ?? 0) + 1;
  }
}
