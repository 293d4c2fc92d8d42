/**
 * Measures how fast a client reads the whole stream through `/v1/events?limit=1000`, first from Kafka, then from
 * memory. The peer is a program that fetches and decodes the same records. It runs on a loaded store: DATABASE_URL and
 * KAFKA_BROKERS, or a running service's DATA_DIR.
 */

import { TopicReader } from '../../kafka/reading/topic-reader.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { changeCodec } from '../../schemas/change.ts';
import { parseCursor } from '../../schemas/cursor.ts';
import type { Brokers } from '../../service/brokers.ts';
import { withGatewayProcess } from '../gateway-process.ts';
import { openStore } from '../open-store.ts';
import { spreadOf } from '../statistics.ts';
import { PageReader } from './page-reader.ts';

const LIMITS = { maxWaitMs: 0, partitionMaxBytes: 512 * 1024 };
/** More than the size of the whole stream, so that the second pass reads from memory. */
const REPLAY_MB = 4000;
/** Warm-up pages of a gateway while V8 compiles its code. It does not keep them until they are read again. */
const WARM_UP_PAGES = 300;

/** @param rounds the number of measurements of each, in turn, with a new gateway */
export async function benchReplay(rounds: number, print: (line: string) => void): Promise<void> {
  const { config, key } = await openStore();
  const results: { raw: number; cold: number; warm: number }[] = [];
  let count = 0;
  await readRaw(config);
  for (let round = 0; round < rounds; round += 1) {
    const raw = await measure(() => readRaw(config));
    const cold = await withGatewayProcess(config, {}, async ({ base }) => {
      await readEvents(base, key, WARM_UP_PAGES);
      return measure(() => readEvents(base, key));
    });
    const warm = await withGatewayProcess(config, { FEED_REPLAY_MB: String(REPLAY_MB) }, async ({ base }) => {
      await readEvents(base, key);
      return measure(() => readEvents(base, key));
    });
    count = cold.count;
    results.push({ raw: raw.perSecond, cold: cold.perSecond, warm: warm.perSecond });
  }
  print(`${count} changes: middle (lowest to highest) of ${rounds} rounds`);
  const line = (name: string, pick: (result: (typeof results)[number]) => number, digits: number) =>
    print(`  ${name}: ${spreadOf(results, pick, digits)}`);
  line('fetched and decoded, a second', ({ raw }) => raw, 0);
  line('through /v1/events out of Kafka, a second', ({ cold }) => cold, 0);
  line('through /v1/events out of memory, a second', ({ warm }) => warm, 0);
  line('ratio out of Kafka', ({ cold, raw }) => cold / raw, 2);
  line('ratio out of memory', ({ warm, raw }) => warm / raw, 2);
}

async function measure(read: () => Promise<number>): Promise<{ perSecond: number; count: number }> {
  const start = performance.now();
  const count = await read();
  return { count, perSecond: (count * 1000) / (performance.now() - start) };
}

/** Fetches every record of the changes topic and decodes it. */
async function readRaw({ brokers, topicPrefix }: { brokers: Brokers; topicPrefix: string }): Promise<number> {
  const log = new TopicReader({ brokers, topic: topicNames(topicPrefix).changes, clientId: 'bench' });
  const leaders = await log.sources();
  const open = new Map(leaders.map((_, partition) => [partition, 0]));
  let count = 0;
  while (open.size > 0) {
    const reads = await log.fetchFromSources(leaders, open, LIMITS);
    for (const { partition, records, nextOffset, atEnd } of reads) {
      for (const { value } of records) changeCodec.decode(value);
      count += records.length;
      if (atEnd) open.delete(partition);
      else open.set(partition, nextOffset);
    }
  }
  await log.close();
  return count;
}

/** Reads every event, or the first pages of them. @returns the number of events */
async function readEvents(base: string, key: string, pages = Number.POSITIVE_INFINITY): Promise<number> {
  const reader = new PageReader(base, key);
  let query = 'from=earliest';
  for (let page = 1; ; page += 1) {
    const { nextCursor, hasMore } = await reader.read(query);
    // The stream begins with the first change, and sequences have no gaps.
    if (!hasMore || page === pages) return parseCursor(nextCursor).sequence;
    query = `cursor=${nextCursor}`;
  }
}
