import { SettingError } from './environment.ts';
import { explainFailure } from './explain-failure.ts';
import { createLog, type Logger, readLogLevel } from './log.ts';
import { OperatorError } from './operator-error.ts';
import { startTracing } from './start-tracing.ts';

/** The argument of `npm start` for a separate exit status after an invalid setting, such as a port in use. */
export const SUPERVISED = '--supervised';
export const INVALID_SETTING_STATUS = 78;

/** The part of a program to load after tracing has begun, so that tracing can watch its imports. */
export interface ProgramModule {
  start(log: Logger): Promise<void>;
}

function refuseArguments(): void {
  const unknown = process.argv.slice(2).find((argument) => argument !== SUPERVISED);
  if (unknown === undefined) return;
  throw new OperatorError(
    `Unknown argument "${unknown}": the program takes none. Environment variables configure it; docs/deployment.md lists them.`,
  );
}

/**
 * Starts a program of the service, and exits with status 1 if that fails, so that its supervisor restarts it.
 * Invalid settings are reported in one sentence on stderr; other failures go to the log.
 *
 * @param name the program's name in its log
 */
export async function runProgram(name: string, load: () => Promise<ProgramModule>): Promise<void> {
  let log: Logger | undefined;
  try {
    refuseArguments();
    await startTracing(name, process.env);
    log = createLog(name, readLogLevel(process.env));
    const { start } = await load();
    await start(log);
  } catch (error) {
    if (error instanceof OperatorError) process.stderr.write(`${error.message}\n`);
    else log?.error({ error }, `could not start the ${name} (${explainFailure(error).reason})`);
    const isFinal = error instanceof SettingError && process.argv.includes(SUPERVISED);
    process.exit(isFinal ? INVALID_SETTING_STATUS : 1);
  }
}
