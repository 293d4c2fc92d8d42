import { createLog, type Logger, readLogLevel } from './log.ts';
import { OperatorError } from './operator-error.ts';

/**
 * Starts a program of the service. Where that fails it ends with status 1: whoever runs it starts it again, for a start
 * from nothing is the one way in. What a setting says wrongly is said in a sentence, anything else in the log.
 *
 * @param name what the log calls it.
 */
export async function runProgram(name: string, start: (log: Logger) => Promise<void>): Promise<void> {
  let log: Logger | undefined;
  try {
    log = createLog(name, readLogLevel(process.env));
    await start(log);
  } catch (error) {
    if (error instanceof OperatorError) process.stderr.write(`${error.message}\n`);
    else log?.error({ error }, `could not start the ${name}`);
    process.exit(1);
  }
}
