import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { topicNames } from '../../kafka/topic-names.ts';
import { type MessageProducer, openProducer } from '../../kafka/writing/submissions-producer.ts';
import type { OpsConfig } from '../../ops/config.ts';
import { endorse, type Subject } from '../endorse.ts';

/** The number of endorsements that change in turn. */
const CHANGED = 5000;

/** Endorsements of a loaded store, anywhere in the country, that change at a steady rate: their statements do. */
export class ChangingEndorsements {
  readonly #producer: MessageProducer;
  readonly #endorsed: readonly Subject[];
  #made = 0;

  private constructor(producer: MessageProducer, endorsed: readonly Subject[]) {
    this.#producer = producer;
    this.#endorsed = endorsed;
  }

  static async open(
    client: pg.Client,
    { brokers, topicPrefix }: Pick<OpsConfig, 'brokers' | 'topicPrefix'>,
  ): Promise<ChangingEndorsements> {
    const { rows } = await client.query<Subject>(
      `SELECT e.slug AS endorser, c.key AS contest, h.key AS choice
       FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN choices h ON h.id = n.choice_id
         JOIN contests c ON c.id = n.contest_id
       WHERE c.vote_method = 'plurality' ORDER BY md5(n.id::text) LIMIT $1`,
      [CHANGED],
    );
    return new ChangingEndorsements(await openProducer(brokers, topicNames(topicPrefix).submissions), rows);
  }

  /** Does the work while this many endorsements a second change. The first change comes before the work. */
  async during(rate: number, work: () => Promise<void>): Promise<void> {
    if (rate === 0) return work();
    const start = performance.now();
    let sent = 0;
    let isDone = false;
    const change = async () => {
      while (!isDone) {
        await this.#send();
        sent += 1;
        await sleep(Math.max(0, start + (sent * 1000) / rate - performance.now()));
      }
    };
    const changing = change();
    try {
      await work();
    } finally {
      isDone = true;
      await changing;
    }
  }

  close(): Promise<void> {
    return this.#producer.close();
  }

  async #send(): Promise<void> {
    const endorsed = this.#endorsed[this.#made % this.#endorsed.length];
    this.#made += 1;
    if (!endorsed) throw new Error('The store has no endorsements of plurality contests.');
    const statement = `Statement ${this.#made} of ${Date.now()}`;
    await this.#producer.send([endorse(endorsed, { statement })]);
  }
}
