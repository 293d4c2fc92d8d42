import { requireBrokers } from '../../kafka/admin.ts';
import { topicNames } from '../../kafka/topic-names.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createConfig, createKafkaConfig, readEnv } from '../config.ts';
import { requireDatabase } from '../database.ts';
import { describeRejection } from '../rejected/describe.ts';
import { parseOrigin } from '../rejected/origin.ts';
import { type ReadRejections, readRejections } from '../rejected/read-rejections.ts';
import { retryChosen, retryNew } from '../rejected/retry.ts';
import { showRejection } from '../rejected/show.ts';

const EXAMPLES = `
Examples:
  npm run ops -- rejected retry
  npm run ops -- rejected retry 3/1201 7/88`;

/** `rejected list`, `rejected show PARTITION/OFFSET`, `rejected retry [PARTITION/OFFSET...]` (INV-9). */
export const define: DefineCommand = (rejected, io) => {
  rejected
    .command('list')
    .description('print every rejected submission that Kafka still keeps, a line of JSON each')
    .action(() => list(io));
  rejected
    .command('show')
    .description('print one rejected submission in full')
    .argument('<origin>', 'its PARTITION/OFFSET as "rejected list" shows its origin')
    .action((origin: string) => show(io, origin));
  rejected
    .command('retry')
    .description('send the submissions that were rejected since the last retry again')
    .argument('[origins...]', 'send these instead, each PARTITION/OFFSET as "rejected list" shows its origin')
    .addHelpText('after', EXAMPLES)
    .action((origins: string[]) => retry(io, origins));
};

async function read(io: CommandIo): Promise<ReadRejections> {
  const { brokers, topicPrefix } = createKafkaConfig(readEnv(io.env));
  await requireBrokers(brokers);
  const read = await readRejections({ brokers, topic: topicNames(topicPrefix).rejected });
  const { strangers } = read;
  if (strangers > 0) io.err(`${strangers} records or batches of the rejected topic are no rejections.`);
  return read;
}

async function list(io: CommandIo): Promise<void> {
  const { rejections } = await read(io);
  for (const rejection of rejections) io.out(describeRejection(rejection));
  io.err(`${rejections.length} rejected submissions are kept.`);
}

/** @throws OperatorError if no rejection of this origin is kept, or if the brokers cannot be used */
async function show(io: CommandIo, origin: string): Promise<void> {
  const { partition, offset } = parseOrigin(origin);
  const { rejections } = await read(io);
  const found = rejections.find((one) => one.partition === partition && one.offset === offset);
  if (!found) {
    throw new OperatorError(
      `No rejected submission of origin ${origin} is kept; "rejected list" shows those that are.`,
    );
  }
  for (const line of showRejection(found)) io.out(line);
}

/** @throws OperatorError if an origin or a server cannot be used */
async function retry(io: CommandIo, origins: string[]): Promise<void> {
  for (const origin of origins) parseOrigin(origin);
  const config = createConfig(readEnv(io.env));
  await requireDatabase(config.databaseUrl);
  await requireBrokers(config.brokers);
  await (origins.length === 0 ? retryNew(config, io) : retryChosen(config, origins, io));
}
