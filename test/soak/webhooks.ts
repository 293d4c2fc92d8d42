import { setTimeout as sleep } from 'node:timers/promises';
import type { StreamFilter } from '../../domain/stream-filter.ts';
import type { Random } from '../../ops/demo/random.ts';
import { loadChangeLog } from '../helpers/stream/change-log.ts';
import { judgeWebhook } from '../helpers/webhooks/judge-webhook.ts';
import { type Answering, Receiver } from '../helpers/webhooks/receiver.ts';
import { chooseFilter } from './ballot.ts';
import type { Cluster } from './cluster.ts';

/**
 * The longest time of a slow answer, in milliseconds. With messages of at most 100 events, the receiver can take some
 * 400 events a second, which is more than a soak makes.
 */
const SLOW_MS = 500;
/** A failed message is repeated after five seconds, and after half a minute if it fails again. */
const FAILURE_RATE = 0.1;

export interface WebhooksVerdict {
  faults: string[];
  webhooks: number;
  /** Messages that receivers got, and those that came again. */
  messages: number;
  repeats: number;
}

const accept: Answering = (response) => void response.writeHead(204).end();

/** Fails some messages at random, each at most once, so that the others are not held up for minutes. */
function failing(random: Random, fail: Answering): Answering {
  const failed = new Set<string>();
  return (response, message, before) => {
    const mayFail = !failed.has(message.id) && random.chance(FAILURE_RATE);
    if (!mayFail) return accept(response, message, before);
    failed.add(message.id);
    return fail(response, message, before);
  };
}

/** The receivers, by what they do to messages. */
const RECEIVERS: Record<string, (random: Random) => Answering> = {
  good: () => accept,
  slow: (random) => async (response, message, before) => {
    await sleep(random.below(SLOW_MS));
    return accept(response, message, before);
  },
  'failing at random': (random) => failing(random, (response) => void response.writeHead(500).end()),
  'that cuts connections': (random) => failing(random, (response) => void response.socket?.destroy()),
  'that cuts its answers': (random) =>
    failing(random, (response) => {
      response.writeHead(200, { 'Content-Length': 100 }).write('half');
      setTimeout(() => response.socket?.destroy(), random.below(100));
    }),
};

interface SoakWebhook {
  name: string;
  filter: StreamFilter;
  receiver: Receiver;
}

/** Webhooks during the whole soak: for each kind of receiver one that gets all changes, and one with a filter. */
export class SoakWebhooks {
  readonly #databaseUrl: string;
  readonly #all: readonly SoakWebhook[];

  private constructor(databaseUrl: string, all: readonly SoakWebhook[]) {
    this.#databaseUrl = databaseUrl;
    this.#all = all;
  }

  /** Creates the webhooks, before the first change. @throws Error if one is refused */
  static async create({ databaseUrl, gateways, key }: Cluster, random: Random): Promise<SoakWebhooks> {
    const all: SoakWebhook[] = [];
    for (const [kind, answer] of Object.entries(RECEIVERS)) {
      for (const filter of [{}, chooseFilter(random)]) {
        const name = `${kind}, ${JSON.stringify(filter)}`.slice(0, 100);
        const receiver = await Receiver.start(answer(random.fork(name)));
        all.push({ name, filter, receiver });
        const response = await fetch(`${gateways[0]?.base}/v1/webhooks`, {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: JSON.stringify({ name, url: receiver.url, filter }),
        });
        if (response.status !== 201) throw new Error(`A webhook was refused: ${await response.text()}`);
        const { data } = (await response.json()) as { data: { secret: string } };
        receiver.secret = data.secret;
      }
    }
    return new SoakWebhooks(databaseUrl, all);
  }

  /** Compares every receiver with the change log up to a sequence, which all must have after `timeoutMs`. */
  async judge(upTo: number, timeoutMs: number): Promise<WebhooksVerdict> {
    const log = await loadChangeLog(this.#databaseUrl);
    const record = { log, head: upTo, settleMs: timeoutMs };
    const judged = await Promise.all(
      this.#all.map(async ({ name, filter, receiver }) => {
        const faults = await judgeWebhook(receiver, { ...record, filter });
        return faults.map((fault) => `webhook (${name}): ${fault}`);
      }),
    );
    const received = this.#all.map(({ receiver }) => receiver.messages.map(({ id }) => id));
    const messages = received.flat().length;
    const distinct = received.reduce((sum, ids) => sum + new Set(ids).size, 0);
    return { faults: judged.flat(), webhooks: this.#all.length, messages, repeats: messages - distinct };
  }

  async stop(): Promise<void> {
    await Promise.all(this.#all.map(({ receiver }) => receiver.stop()));
  }
}
