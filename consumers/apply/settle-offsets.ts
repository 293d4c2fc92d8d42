import type { ClientBase } from 'pg';
import type { TopicReader } from '../../kafka/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import { loadConsumerOffsets, resetConsumerOffset } from '../../store/stream/consumer-offsets.ts';

/**
 * The offsets to read from, by partition: where the store is, if the topic still has that. A stored offset beyond the
 * end means that the topic was created anew: nothing in it has been applied, so it is read from its beginning. One before
 * the beginning means that submissions expired before they were applied, which nobody can undo.
 */
export async function settleOffsets(
  client: ClientBase,
  reader: TopicReader,
  topic: string,
  log: Logger,
): Promise<number[]> {
  const stored = await loadConsumerOffsets(client, topic);
  const settled: number[] = [];
  for (const [partition, { start, end }] of (await reader.bounds()).entries()) {
    const offset = stored.get(partition) ?? 0;
    const from = offset < start || offset > end ? start : offset;
    settled.push(from);
    if (from === offset) continue;
    if (offset > end) {
      log.error(
        { topic, partition, offset, end },
        'the submissions topic was created anew; reading it from its beginning',
      );
    } else if (stored.has(partition)) {
      log.error({ topic, partition, offset, start }, 'submissions expired before they were applied');
    }
    await resetConsumerOffset(client, topic, partition, from);
  }
  return settled;
}
