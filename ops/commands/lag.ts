import { withAdmin } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { loadConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, type OpsConfig, readEnv } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

/** `lag [--json]`. */
export const define: DefineCommand = (command, io) => {
  command
    .option('--json', 'print one JSON object instead of a table')
    .action(({ json = false }: { json?: boolean }) => printLag(io, json));
};

/** The work that waits in one place. */
interface Lag {
  /** The end of the finished work: the next offset to apply, or the last sequence that Kafka has. */
  done: number;
  /** The end of all work: the offset of the next submission, or the last sequence of the change log. */
  end: number;
  lag: number;
}

interface ServiceLag {
  /** By partition of the submissions topic. */
  submissions: ({ partition: number } & Lag)[];
  changes: Lag;
}

/**
 * Asks Kafka, then Postgres. Submissions that arrive between the two questions can show as lag for a moment.
 *
 * @throws OperatorError if a server does not answer, the Kafka client's error if the topic does not exist
 */
async function measureLag({ brokers, databaseUrl, topicPrefix }: OpsConfig): Promise<ServiceLag> {
  const topic = topicNames(topicPrefix).submissions;
  const offsets = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return inOneTransaction(databaseUrl, async (client) => {
    const positions = await loadConsumerOffsets(client, topic);
    const submissions = offsets
      // Submissions that retention deleted before they were applied are not waiting.
      .map(({ partition, high, low }) => ({
        partition,
        done: Math.max(positions.get(partition) ?? 0, Number(low)),
        end: Number(high),
      }))
      .map((entry) => ({ ...entry, lag: Math.max(0, entry.end - entry.done) }))
      .sort((a, b) => a.partition - b.partition);
    const { logged, relayed } = await loadRelayProgress(client);
    return { submissions, changes: { done: relayed, end: logged, lag: logged - relayed } };
  });
}

async function printLag(io: CommandIo, json: boolean): Promise<void> {
  const lag = await measureLag(createConfig(readEnv(io.env)));
  if (json) return io.out(JSON.stringify(lag));
  const rows = [
    ...lag.submissions.map(({ partition, done, end, lag: waiting }) => [
      `submissions ${partition}`,
      done,
      end,
      waiting,
    ]),
    ['changes', lag.changes.done, lag.changes.end, lag.changes.lag],
  ];
  for (const line of formatTable(['WHAT', 'DONE', 'END', 'LAG'], rows)) io.out(line);
}
