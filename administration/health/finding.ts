type Status = 'ok' | 'warning' | 'failed';

/** The result of a check. */
export interface Finding {
  status: Status;
  /** The subject of the check, in one to three words. */
  subject: string;
  /** A sentence. For a problem, it says what to do. */
  text: string;
  /** The beginning of a problem, where Kafka or Postgres knows it. */
  since?: Date | undefined;
  /** The alert for a problem, whose runbook is in the guide of alerts. */
  alert?: string;
}

type More = Pick<Finding, 'since' | 'alert'>;

export const ok = (subject: string, text: string): Finding => ({ status: 'ok', subject, text });
export const warning = (subject: string, text: string, more?: More): Finding => ({
  ...{ status: 'warning', subject, text },
  ...more,
});
export const failed = (subject: string, text: string, more?: More): Finding => ({
  ...{ status: 'failed', subject, text },
  ...more,
});

/** A count with its noun, such as `1 gateway` or `2 gateways`. */
export const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
