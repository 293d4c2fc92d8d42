/** `topics apply` and `topics check`. */
import { applyTopics, checkTopics } from '../../kafka/topics.ts';
import { OperatorError } from '../../service/operator-error.ts';
import type { CommandIo } from '../command.ts';
import { createKafkaConfig, readEnv } from '../config.ts';

/** The command: see ops/command.ts. */
export async function run(args: string[], io: CommandIo): Promise<number> {
  const [action, ...rest] = args;
  if ((action !== 'apply' && action !== 'check') || rest.length > 0) {
    throw new OperatorError('usage: npm run ops -- topics apply | topics check');
  }
  const options = createKafkaConfig(readEnv(io.env));
  if (action === 'apply') {
    const done = await applyTopics(options);
    for (const line of done) io.out(line);
    if (done.length === 0) io.out('The topics are as they should be.');
    return 0;
  }
  const problems = await checkTopics(options);
  for (const problem of problems) io.err(problem);
  if (problems.length > 0) io.err('Run "npm run ops -- topics apply" to put right what it can.');
  else io.out('The topics are as they should be.');
  return problems.length > 0 ? 1 : 0;
}
