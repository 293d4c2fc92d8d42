import type { Logger } from './log.ts';
import { type FailurePlace, reportFailure } from './report-failure.ts';

/** Does work and reports its failure. @returns whether it succeeded */
export type Attempt = (message: string, work: () => Promise<unknown>) => Promise<boolean>;

/** Creates attempts at work that is tried again and again. While an outage lasts, only its first failure is a warning. */
export function createAttempt(log: Logger, where: FailurePlace): Attempt {
  let isFailing = false;
  return async (message, work) => {
    try {
      await work();
      isFailing = false;
    } catch (error) {
      reportFailure(log, error, { where, message, quiet: isFailing });
      isFailing = true;
    }
    return !isFailing;
  };
}
