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
  'publishing',
  'relay',
  'replicas',
  'request',
  'stream',
  'stream_checks',
  'usage',
  'webhooks',
] as const;
export type FailurePlace = (typeof PLACES)[number];

const defects = new Counter({
  name: 'defects_total',
  help: 'Errors that no outage of Postgres or Kafka and no wrong request explains, by the part that met them.',
  labelNames: ['where'],
});
// A counter that begins with its first defect would not show an increase.
for (const where of PLACES) defects.inc({ where }, 0);

/** The pause before a quiet refusal is reported again, in milliseconds. */
const TOLD_MS = 10 * 60_000;
/** The time of each refusal's last report, by its text. */
const toldAt = new Map<string, number>();

/** Whether a refusal was reported within the pause. If not, it counts as reported now. */
function wasTold(text: string): boolean {
  const now = performance.now();
  if (now - (toldAt.get(text) ?? Number.NEGATIVE_INFINITY) < TOLD_MS) return true;
  toldAt.set(text, now);
  return false;
}

export interface FailureReport {
  where: FailurePlace;
  /** The failed action, for the log. */
  message: string;
  /** Values that identify the affected work, such as the id of the request. */
  fields?: Readonly<Record<string, unknown>>;
  /**
   * Whether an outage was logged already, so that this repeats it at `debug`. Defects are never quiet. A
   * refusal that only an operator can end is repeated every ten minutes.
   */
  quiet?: boolean;
}

/**
 * Logs a caught error: an outage as a warning, and a defect as an error, which a metric also counts.
 *
 * @returns the meaning of the error
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
    const isRepeated = refusal === null || wasTold(text);
    log[quiet && isRepeated ? 'debug' : 'warn']({ error, ...fields }, text);
  }
  return failure;
}
