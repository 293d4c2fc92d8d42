import { requireBrokers } from '../../kafka/admin.ts';
import { loadBounds } from '../../kafka/read-topic.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import type { PartitionBounds } from '../../kafka/topic-reader.ts';
import { readEnv } from '../../service/running-service.ts';
import { loadConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { countPendingRejections } from '../../store/stream/pending-rejections.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, type OpsConfig } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

const EXAMPLES = `
Examples:
  npm run ops -- lag
  npm run ops -- lag --json | jq .changes.lag`;

/** `lag [--json]`. */
export const define: DefineCommand = (command, io) => {
  command
    .option('--json', 'print one JSON object instead of a table')
    .addHelpText('after', EXAMPLES)
    .action(({ json = false }: { json?: boolean }) => printLag(io, json));
};

/** How far a partition of the submissions topic is applied. Offsets are those of the next submission. */
interface PartitionLag {
  partition: number;
  done: number;
  /** The last stable offset: an open transaction holds later submissions back. */
  stable_end: number;
  end: number;
  /** Submissions that wait, up to the end of the log. */
  lag: number;
  /** Submissions that wait and can be applied now. */
  stable_lag: number;
}

interface ServiceLag {
  submissions: PartitionLag[];
  /** By sequence: the last change that Kafka has, and the last one of the change log. */
  changes: { done: number; end: number; lag: number; oldest_seconds: number };
  /** Rejections that are not yet in the rejected topic. */
  rejections: { lag: number };
}

function lagOf(partition: number, applied: number, { start, stableEnd, end }: PartitionBounds): PartitionLag {
  // Submissions that retention deleted before they were applied are not waiting.
  const done = Math.max(applied, start);
  const lag = Math.max(0, end - done);
  return { partition, done, stable_end: stableEnd, end, lag, stable_lag: Math.max(0, stableEnd - done) };
}

/**
 * Asks Kafka, then Postgres. Submissions that arrive between the two questions can show as lag for a moment.
 *
 * @throws OperatorError if a server does not answer, the Kafka client's error if the topic does not exist
 */
async function measureLag({ brokers, databaseUrl, topicPrefix }: OpsConfig): Promise<ServiceLag> {
  const topic = topicNames(topicPrefix).submissions;
  await requireBrokers(brokers);
  const bounds = await loadBounds({ brokers, topic, clientId: 'ballot-endorsements-ops' });
  return inOneTransaction(databaseUrl, async (client) => {
    const applied = await loadConsumerOffsets(client, topic);
    const { logged, relayed, oldestWaitedSeconds } = await loadRelayProgress(client);
    return {
      submissions: bounds.map((each, partition) => lagOf(partition, applied.get(partition) ?? 0, each)),
      changes: {
        done: relayed,
        end: logged,
        lag: logged - relayed,
        oldest_seconds: Math.round(oldestWaitedSeconds),
      },
      rejections: { lag: await countPendingRejections(client) },
    };
  });
}

async function printLag(io: CommandIo, json: boolean): Promise<void> {
  const lag = await measureLag(createConfig(readEnv(io.env)));
  if (json) return io.out(JSON.stringify(lag));
  const { changes, rejections } = lag;
  const rows = [
    ...lag.submissions.map((each) => [
      `submissions ${each.partition}`,
      each.done,
      each.stable_end,
      each.end,
      each.stable_lag,
      each.lag,
    ]),
    ['changes', changes.done, null, changes.end, null, changes.lag],
    ['rejections', null, null, null, null, rejections.lag],
  ];
  const columns = ['WHAT', 'DONE', 'LAST STABLE', 'END', 'LAG TO LAST STABLE', 'LAG'];
  for (const line of formatTable(columns, rows)) io.out(line);
}
