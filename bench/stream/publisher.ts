import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createEvents } from '../../feed/read-events.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { createChangesProducer } from '../../kafka/writing/changes-producer.ts';
import { type Change, type ChangeBody, changeCodec, identifyChange } from '../../schemas/change.ts';
import type { Brokers } from '../../service/brokers.ts';
import { bodyOf, STORED_BODY, type StoredBody } from '../../store/stream/stored-body.ts';

/** The end of the stream in the store, and a change of each endorser as a template. */
async function loadEnd(client: pg.Client) {
  const load = async () => {
    const { rows } = await client.query<{ epoch: string; head: string; relayed: string | null }>(
      `SELECT epoch, last_sequence AS head,
         (SELECT max(last_sequence) FROM relay_batches WHERE acknowledged_at IS NOT NULL) AS relayed
       FROM stream_head`,
    );
    const { epoch, head, relayed } = rows[0] ?? {};
    return { epoch: Number(epoch), sequence: Number(head), relayed: Number(relayed) };
  };
  // All earlier submissions must be applied and relayed, or their sequences would be used twice.
  for (let before = -1; ; ) {
    const { epoch, sequence, relayed } = await load();
    if (sequence === before && relayed === sequence) {
      const { rows } = await client.query<StoredBody>(
        `SELECT DISTINCT ON (endorser) ${STORED_BODY} FROM change_log ORDER BY endorser, sequence`,
      );
      return { epoch, sequence, bodies: rows.map(bodyOf) };
    }
    before = sequence;
    await sleep(2000);
  }
}

/** Writes changes to the changes topic as the relay does, so that only the gateway is measured. */
export class Publisher {
  /** The slugs of the endorsers that have changes. */
  readonly endorsers: string[];
  readonly #bodies: ChangeBody[];
  readonly #database: pg.Client;
  readonly #producer: ReturnType<typeof createChangesProducer>;
  readonly #epoch: number;
  #sequence: number;
  #offsets: number[];

  private constructor(parts: {
    end: Awaited<ReturnType<typeof loadEnd>>;
    database: pg.Client;
    producer: ReturnType<typeof createChangesProducer>;
    offsets: number[];
  }) {
    this.#bodies = parts.end.bodies;
    this.endorsers = parts.end.bodies.map(({ endorser }) => endorser.slug);
    this.#database = parts.database;
    this.#producer = parts.producer;
    this.#epoch = parts.end.epoch;
    this.#sequence = parts.end.sequence;
    this.#offsets = parts.offsets;
  }

  static async open({ databaseUrl, brokers }: { databaseUrl: string; brokers: Brokers }): Promise<Publisher> {
    const database = new pg.Client({ connectionString: databaseUrl });
    await database.connect();
    const end = await loadEnd(database);
    const producer = createChangesProducer({ brokers, topic: topicNames().changes });
    await producer.connect();
    return new Publisher({ end, database, producer, offsets: await producer.fetchEndOffsets() });
  }

  /** Makes the next changes, of one endorser or of all in turn. */
  make(count: number, endorser?: number): Change[] {
    return Array.from({ length: count }, (_, index) => {
      const sequence = this.#sequence + 1 + index;
      const body = this.#bodies[endorser ?? sequence % this.#bodies.length];
      if (!body) throw new Error('There is no such endorser.');
      const logged = { sequence, occurredAt: Date.now(), type: 'updated' as const };
      return { ...identifyChange(logged, { epoch: this.#epoch, offsets: this.#offsets }), ...body };
    });
  }

  /** Sends the made changes. Send all of them before making more. */
  async send(changes: Change[]): Promise<void> {
    this.#sequence += changes.length;
    // A gateway stops its streams if Kafka has a change beyond the store's head.
    await this.#database.query('UPDATE stream_head SET last_sequence = $1', [this.#sequence]);
    await this.#producer.send(
      changes.map((change) => ({ key: change.endorser.slug, value: changeCodec.encode(change) })),
    );
  }

  async close(): Promise<void> {
    await this.#producer.disconnect();
    await this.#database.end();
  }
}

/** The bytes that a client receives for changes. */
export const renderFrames = (changes: Change[]): Buffer =>
  Buffer.concat(
    createEvents(changes.map(changeCodec.encode), changes[0]?.epoch ?? 0).map(({ frame }) => frame),
  );
