import type { ClientBase } from 'pg';
import type { GroupOffsets } from '../../kafka/group-offsets.ts';
import type { TopicIdentity, TopicReader } from '../../kafka/topic-reader.ts';
import type { Logger } from '../../service/log.ts';
import {
  loadConsumerOffsets,
  resetConsumerOffset,
  settleTopic,
} from '../../store/stream/consumer-offsets.ts';

interface SettleOptions {
  /** The leader's connection. */
  client: ClientBase;
  reader: Pick<TopicReader, 'identify' | 'bounds'>;
  group: Pick<GroupOffsets, 'load'>;
  topic: string;
  log: Logger;
}

/** Where the submissions topic is read. */
export interface SettledOffsets extends TopicIdentity {
  /** By partition: the offset to read from. */
  offsets: number[];
}

/**
 * Decides where to read on: where the store is, if this is the topic that it knows. A topic that was made anew is read
 * from its beginning, since nothing in it has been applied. In another cluster it may be a mirror, which translates the
 * offsets of the group, and it is read from those. A stored offset beyond the end means that the broker has lost records, and one
 * before the beginning that submissions expired before they were applied, which nobody can undo.
 */
export async function settleOffsets(options: SettleOptions): Promise<SettledOffsets> {
  const { client, reader, group, topic } = options;
  const identity = await reader.identify();
  const bounds = await reader.bounds();
  await client.query('BEGIN');
  const before = await settleTopic(client, topic, identity);
  const isAnother = before !== null;
  // In the same cluster, offsets of the group would be those of the topic before.
  const isMirrored = before !== null && before.clusterId !== identity.clusterId;
  const known = isMirrored ? await group.load() : await loadConsumerOffsets(client, topic);
  const offsets: number[] = [];
  for (const [partition, { start, end }] of bounds.entries()) {
    const offset = known.get(partition) ?? 0;
    const from = offset < start || offset > end ? start : offset;
    offsets.push(from);
    if (isAnother || from !== offset) await resetConsumerOffset(client, topic, partition, from);
    if (!isAnother && from !== offset) report(options, { partition, offset, start, end });
  }
  await client.query('COMMIT');
  if (isAnother) {
    const fields = { topic, ...identity, translated: known.size > 0 };
    options.log.error(
      fields,
      'the submissions topic is another one; reading it from its beginning, or as its mirror says',
    );
  }
  return { ...identity, offsets };
}

function report(
  { topic, log }: SettleOptions,
  { partition, offset, start, end }: { partition: number; offset: number; start: number; end: number },
): void {
  if (offset > end) {
    const message = 'the submissions topic has lost its newest records; reading it from its beginning';
    log.error({ topic, partition, offset, end }, message);
  } else if (offset > 0) {
    log.error({ topic, partition, offset, start }, 'submissions expired before they were applied');
  }
}
