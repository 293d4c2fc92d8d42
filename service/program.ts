import { SettingError } from './environment.ts';
import { explainFailure } from './explain-failure.ts';
import { createLog, type Logger, readLogLevel } from './log.ts';
import { OperatorError } from './operator-error.ts';
import { startTracing } from './start-tracing.ts';

/** The exit status of a program that an invalid setting keeps from starting, such as a port that is in use. */
export const INVALID_SETTING_STATUS = 78;

/** The part of a program that is loaded once tracing has begun, so that its imports can be watched. */
export interface ProgramModule {
  start(log: Logger): Promise<void>;
}

/**
 * Starts a program of the service. An invalid setting is reported in one sentence on stderr and ends it with a status of
 * its own. Other failures go to the log and end it with status 1: its supervisor then starts it afresh.
 *
 * @param name the program's name in its log
 */
export async function runProgram(name: string, load: () => Promise<ProgramModule>): Promise<void> {
  let log: Logger | undefined;
  try {
    await startTracing(name, process.env);
    log = createLog(name, readLogLevel(process.env));
    const { start } = await load();
    await start(log);
  } catch (error) {
    if (error instanceof OperatorError) process.stderr.write(`${error.message}\n`);
    else log?.error({ error }, `could not start the ${name} (${explainFailure(error).reason})`);
    process.exit(error instanceof SettingError ? INVALID_SETTING_STATUS : 1);
  }
}
