import { Counter } from 'prom-client';
import { explainFailure } from './explain-failure.ts';
import type { Failure } from './failure.ts';
import type { Logger } from './log.ts';

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
  'replicas',
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

/** How long a refusal that is told quietly is not told again, in milliseconds. */
const TOLD_MS = 10 * 60_000;
/** When each was told, by its text. */
const toldAt = new Map<string, number>();

/** Whether a refusal was told a while ago. If not, it counts as told from now on. */
function wasTold(text: string): boolean {
  const now = performance.now();
  if (now - (toldAt.get(text) ?? Number.NEGATIVE_INFINITY) < TOLD_MS) return true;
  toldAt.set(text, now);
  return false;
}

export interface FailureReport {
  where: FailurePlace;
  /** The action that failed, for the log. */
  message: string;
  /** Values that tell what the failure hit, such as the id of the request. */
  fields?: Readonly<Record<string, unknown>>;
  /**
   * Whether an outage was logged already, so that it is repeated at `debug`. Defects are never quiet, and a refusal that an
   * operator has to end is told every ten minutes.
   */
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
  const { failure, refusal, reason } = explainFailure(error);
  const text = `${message} (${reason})`;
  if (failure === 'defect') {
    defects.inc({ where });
    log.error({ error, where, ...fields }, text);
  } else {
    const isQuiet = quiet && (refusal === null || wasTold(text));
    log[isQuiet ? 'debug' : 'warn']({ error, ...fields }, text);
  }
  return failure;
}
