/** `lag`: how far what is applied is behind what was submitted, and what is relayed behind what changed. */
import { parseArgs } from 'node:util';
import { withAdmin } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { loadConsumerOffsets } from '../../store/stream/consumer-offsets.ts';
import { loadRelayProgress } from '../../store/stream/relay-batches.ts';
import type { CommandIo } from '../command.ts';
import { createConfig, type OpsConfig, readEnv } from '../config.ts';
import { inOneTransaction } from '../database.ts';
import { formatTable } from '../table.ts';

const USAGE = 'Usage: npm run ops -- lag [--json]';

/** How much is waiting in one place. */
interface Lag {
  /** Up to where the work is done: the next offset to apply, or the last sequence that Kafka has. */
  done: number;
  /** Where the work ends: the offset of the next submission, or the last sequence of the change log. */
  end: number;
  lag: number;
}

interface ServiceLag {
  /** By partition of the submissions topic. */
  submissions: ({ partition: number } & Lag)[];
  changes: Lag;
}

/**
 * Asks Kafka and Postgres. What comes in between the two questions can show as lag for a moment.
 *
 * @throws OperatorError where a server does not answer; the Kafka client's error where there is no such topic
 */
async function measureLag({ brokers, databaseUrl, topicPrefix }: OpsConfig): Promise<ServiceLag> {
  const topic = topicNames(topicPrefix).submissions;
  const offsets = await withAdmin(brokers, (admin) => admin.fetchTopicOffsets(topic));
  return inOneTransaction(databaseUrl, async (client) => {
    const positions = await loadConsumerOffsets(client, topic);
    const submissions = offsets
      // Retention takes away what was never applied, too: nothing of that is waiting.
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

function isJsonAsked(args: string[]): boolean {
  try {
    return parseArgs({ args, options: { json: { type: 'boolean', default: false } } }).values.json;
  } catch (error) {
    throw new OperatorError(`${(error as Error).message}\n${USAGE}`);
  }
}

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const json = isJsonAsked(args);
  const lag = await measureLag(createConfig(readEnv(io.env)));
  if (json) {
    io.out(JSON.stringify(lag));
    return 0;
  }
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
  return 0;
}
