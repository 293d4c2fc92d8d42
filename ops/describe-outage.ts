import { explainFailure } from '../service/explain-failure.ts';
import { OperatorError } from '../service/operator-error.ts';

/**
 * The sentence for a server that failed during a command; null for any other error.
 *
 * @param advice the next step after an outage
 */
export function describeOutage(error: unknown, advice: string): string | null {
  const { failure, refusal, reason } = explainFailure(error);
  if (error instanceof OperatorError || (failure !== 'database_away' && failure !== 'kafka_away'))
    return null;
  if (refusal !== null) return refusal;
  const message = (error as Error).message.replace(/\.$/, '');
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)} (${message}): ${advice}.`;
}
