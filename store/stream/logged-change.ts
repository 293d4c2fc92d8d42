import type { ChangeBody, LoggedChange } from '../../schemas/change.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';

/** A row of the change log as pg returns it. */
export interface LoggedRow {
  sequence: string;
  /** Milliseconds since 1970. */
  occurred_ms: string;
  type: ChangeType;
  body: ChangeBody;
}

/** The change of a row. */
export function loggedChange({ sequence, occurred_ms, type, body }: LoggedRow): LoggedChange {
  return { sequence: Number(sequence), occurredAt: Number(occurred_ms), type, body };
}
