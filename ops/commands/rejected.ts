import { requireBrokers } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo } from '../command.ts';
import { createConfig, createKafkaConfig, type KafkaConfig, readEnv } from '../config.ts';
import { requireDatabase } from '../database.ts';
import { describeRejection } from '../rejected/describe.ts';
import { readRejections } from '../rejected/read-rejections.ts';
import { retryChosen, retryNew } from '../rejected/retry.ts';

const USAGE = 'Usage: npm run ops -- rejected list | rejected retry [PARTITION/OFFSET...]';

async function list({ brokers, topicPrefix }: KafkaConfig, io: CommandIo): Promise<number> {
  const { rejections } = await readRejections({ brokers, topic: topicNames(topicPrefix).rejected });
  for (const rejection of rejections) io.out(describeRejection(rejection));
  io.err(`${rejections.length} rejected submissions are kept.`);
  return 0;
}

/**
 * `rejected list`: every submission that was refused and is still kept, a line of JSON each. `rejected retry`: sends
 * those refused since the last retry again, or those of these origins (INV-9).
 *
 * @throws OperatorError for arguments that are not right, and where a server cannot be used.
 */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const [action, ...origins] = args;
  const env = readEnv(io.env);
  if (action === 'list' && origins.length === 0) {
    const config = createKafkaConfig(env);
    await requireBrokers(config.brokers);
    return list(config, io);
  }
  if (action === 'retry' && origins.every((origin) => /^[0-9]+\/[0-9]+$/.test(origin))) {
    const config = createConfig(env);
    await requireDatabase(config.databaseUrl);
    await requireBrokers(config.brokers);
    return origins.length === 0 ? retryNew(config, io) : retryChosen(config, origins, io);
  }
  throw new OperatorError(USAGE);
}
