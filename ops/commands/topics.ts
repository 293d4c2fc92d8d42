import { applyTopics, checkTopics } from '../../kafka/topics.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { readEnv } from '../../service/running-service.ts';
import type { CommandIo, DefineCommand } from '../command.ts';
import { createKafkaConfig } from '../config.ts';

const UP_TO_DATE = 'The topics are as they should be.';

const EXAMPLES = `
Examples:
  npm run ops -- topics check
  npm run ops -- topics apply`;

/** `topics apply` and `topics check`. */
export const define: DefineCommand = (topics, io) => {
  topics
    .command('apply')
    .description('create the topics that are missing and correct the settings of the others')
    .addHelpText('after', EXAMPLES)
    .action(() => apply(io));
  topics
    .command('check')
    .description('name every setting of the topics that is wrong, and change nothing')
    .addHelpText('after', EXAMPLES)
    .action(() => check(io));
};

async function apply(io: CommandIo): Promise<void> {
  const done = await applyTopics(createKafkaConfig(readEnv(io.env)));
  for (const line of done) io.out(line);
  if (done.length === 0) io.out(UP_TO_DATE);
}

async function check(io: CommandIo): Promise<void> {
  const problems = await checkTopics(createKafkaConfig(readEnv(io.env)));
  for (const problem of problems) io.err(problem);
  if (problems.length > 0)
    throw new OperatorError('Run "npm run ops -- topics apply" to correct what it can.');
  io.out(UP_TO_DATE);
}
