import { requireBrokers } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, createKafkaConfig, readEnv } from '../config.ts';
import { requireDatabase } from '../database.ts';
import { describeRejection } from '../rejected/describe.ts';
import { readRejections } from '../rejected/read-rejections.ts';
import { retryChosen, retryNew } from '../rejected/retry.ts';

const EXAMPLES = `
Examples:
  npm run ops -- rejected retry
  npm run ops -- rejected retry 3/1201 7/88`;

/** `rejected list`, `rejected retry [PARTITION/OFFSET...]` (INV-9). */
export const define: DefineCommand = (rejected, io) => {
  rejected
    .command('list')
    .description('print every rejected submission that Kafka still keeps, a line of JSON each')
    .action(() => list(io));
  rejected
    .command('retry')
    .description('send the submissions that were rejected since the last retry again')
    .argument('[origins...]', 'send these instead, each PARTITION/OFFSET as "rejected list" shows its origin')
    .addHelpText('after', EXAMPLES)
    .action((origins: string[]) => retry(io, origins));
};

async function list(io: CommandIo): Promise<void> {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(io.env));
  await requireBrokers(brokers);
  const { rejections } = await readRejections({ brokers, topic: topicNames(topicPrefix).rejected });
  for (const rejection of rejections) io.out(describeRejection(rejection));
  io.err(`${rejections.length} rejected submissions are kept.`);
}

/** @throws OperatorError if an origin or a server cannot be used */
async function retry(io: CommandIo, origins: string[]): Promise<void> {
  const wrong = origins.find((origin) => !/^[0-9]+\/[0-9]+$/.test(origin));
  if (wrong !== undefined) {
    throw new OperatorError(`"${wrong}" is not an origin; it must be like 3/1201, PARTITION/OFFSET.`);
  }
  const config = createConfig(readEnv(io.env));
  await requireDatabase(config.databaseUrl);
  await requireBrokers(config.brokers);
  await (origins.length === 0 ? retryNew(config, io) : retryChosen(config, origins, io));
}
