type Status = 'ok' | 'warning' | 'failed';

/** The result of a check. */
export interface Finding {
  status: Status;
  /** The subject of the check, in one to three words. */
  subject: string;
  /** A sentence. For a problem, it says what to do. */
  text: string;
}

export const ok = (subject: string, text: string): Finding => ({ status: 'ok', subject, text });
export const warning = (subject: string, text: string): Finding => ({ status: 'warning', subject, text });
export const failed = (subject: string, text: string): Finding => ({ status: 'failed', subject, text });

/** A count with its noun, such as `1 gateway` or `2 gateways`. */
export const formatCount = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
