import { createLog, type Logger, readLogLevel } from './log.ts';
import { OperatorError } from './operator-error.ts';

/**
 * Starts a program of the service, and exits with status 1 if that fails: its supervisor then starts it afresh.
 * Invalid settings are reported in one sentence on stderr; other failures go to the log.
 *
 * @param name the program's name in its log
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
