import { Counter } from 'prom-client';
import { explainFailure } from './explain-failure.ts';
import { classifyFailure, type Failure } from './failure.ts';
import type { Logger } from './log.ts';

const MEANING: Record<Failure, string> = {
  database_away: 'the database does not answer',
  kafka_away: 'Kafka does not answer',
  superseded: 'another one has taken over',
  defect: 'a defect of the service',
};

/** The parts of the service that report their failures. */
const PLACES = [
  'answer',
  'apply',
  'clock',
  'console',
  'feed',
  'keys',
  'limits',
  'monitoring',
  'rejections',
  'announcements',
  'processes',
  'relay',
  'request',
  'stream',
  'stream_checks',
  'usage',
] as const;
export type FailurePlace = (typeof PLACES)[number];

const defects = new Counter({
  name: 'defects_total',
  help: 'Errors that neither an outage of Postgres or Kafka nor a wrong request explains, by the part that met them.',
  labelNames: ['where'],
});
// A counter that begins with its first defect would show no increase.
for (const where of PLACES) defects.inc({ where }, 0);

export interface FailureReport {
  where: FailurePlace;
  /** The action that failed, for the log. */
  message: string;
  /** Values that tell what the failure hit, such as the id of the request. */
  fields?: Readonly<Record<string, unknown>>;
  /** Whether an outage was logged already, so that it is repeated at `debug`. Defects are never quiet. */
  quiet?: boolean;
}

/**
 * Logs an error that was caught: an outage as a warning, a defect as an error, which is also counted.
 *
 * @returns what the error means
 */
export function reportFailure(
  log: Logger,
  error: unknown,
  { where, message, fields = {}, quiet = false }: FailureReport,
): Failure {
  const failure = classifyFailure(error);
  const reason = explainFailure(error) ?? MEANING[failure];
  const text = `${message} (${reason.replace(/\.$/, '')})`;
  if (failure === 'defect') {
    defects.inc({ where });
    log.error({ error, where, ...fields }, text);
  } else {
    log[quiet ? 'debug' : 'warn']({ error, ...fields }, text);
  }
  return failure;
}
