import { type Rejection, type Submission, submissionCodec } from '../schemas/submission.ts';
import { topicNames } from '../schemas/topics.ts';
import type { CommandIo } from './command.ts';
import { createKafkaConfig, readEnv } from './config.ts';
import { withAdmin } from './kafka/client.ts';
import { OpsError } from './ops-error.ts';
import { readRejections } from './rejected/read-rejections.ts';
import { openProducer } from './submit/producer.ts';

const USAGE = 'Usage: npm run ops -- rejected list | rejected retry';
const BATCH = 500;

interface Topics {
  brokers: string[];
  rejected: string;
  submissions: string;
  /** Remembers in Kafka up to where rejections were retried. */
  groupId: string;
}

/** What can be read of a refused submission. */
function readSubmission({ value }: Rejection): Submission | null {
  try {
    return value && submissionCodec.decode(value);
  } catch {
    return null;
  }
}

async function list({ brokers, rejected }: Topics, io: CommandIo): Promise<number> {
  const { rejections } = await readRejections({ brokers, topic: rejected });
  for (const rejection of rejections) {
    const submission = readSubmission(rejection);
    const picks = submission?.picks.map(({ choice }) => choice) ?? [];
    const { topic, partition, offset, code, message } = rejection;
    const origin = { topic, partition, offset };
    const rejected_at = new Date(rejection.rejected_at).toISOString();
    const named = { endorser: submission?.endorser ?? null, contest: submission?.contest ?? null, picks };
    io.out(JSON.stringify({ code, message, ...named, rejected_at, origin }));
  }
  io.err(`${rejections.length} rejected submissions are kept.`);
  return 0;
}

async function loadRetried({ brokers, rejected, groupId }: Topics): Promise<Map<number, number>> {
  const [entry] = await withAdmin(brokers, (admin) => admin.fetchOffsets({ groupId, topics: [rejected] }));
  const known = (entry?.partitions ?? []).filter(({ offset }) => Number(offset) >= 0);
  return new Map(known.map(({ partition, offset }) => [partition, Number(offset)]));
}

/** Sends what was rejected since the last retry once more, as it was; what is still bad is rejected anew. */
async function retry(topics: Topics, io: CommandIo): Promise<number> {
  const { brokers, rejected, submissions, groupId } = topics;
  const { rejections, ends } = await readRejections({ brokers, topic: rejected }, await loadRetried(topics));
  const messages = rejections.flatMap((rejection) => {
    const endorser = readSubmission(rejection)?.endorser;
    return endorser !== undefined && rejection.value ? [{ key: endorser, value: rejection.value }] : [];
  });
  const producer = await openProducer(brokers, submissions);
  try {
    for (let start = 0; start < messages.length; start += BATCH) {
      await producer.send(messages.slice(start, start + BATCH));
    }
  } finally {
    await producer.close();
  }
  const partitions = [...ends].map(([partition, offset]) => ({ partition, offset: String(offset) }));
  await withAdmin(brokers, (admin) => admin.setOffsets({ groupId, topic: rejected, partitions }));
  const unreadable = rejections.length - messages.length;
  io.err(
    `${messages.length} rejected submissions were sent again${unreadable > 0 ? `, ${unreadable} cannot be read` : ''}.`,
  );
  return 0;
}

/**
 * `rejected list`: every submission that was refused and is still kept, a line of JSON each. `rejected retry`: sends
 * those refused since the last retry again (INV-9).
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(io.env));
  const { rejected, submissions } = topicNames(topicPrefix);
  const topics = { brokers, rejected, submissions, groupId: `${topicPrefix}endorsement-rejected-retry` };
  if (args.length === 1 && args[0] === 'list') return list(topics, io);
  if (args.length === 1 && args[0] === 'retry') return retry(topics, io);
  throw new OpsError(USAGE);
}
