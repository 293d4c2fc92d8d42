import { identifyChange } from '../../schemas/change.ts';
import { encodeChange } from '../../schemas/change-encoding.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { encodedBodyOf, type StoredBody } from './stored-body.ts';

/** A row of the change log, with the batch that sent it. */
export interface SentRow extends StoredBody {
  sequence: number;
  /** Milliseconds since 1970. */
  occurredAt: number;
  type: ChangeType;
  /** The endorser's slug. */
  endorser: string;
  epoch: number;
  /** The ends of the partitions before the batch was first sent. */
  offsets: readonly number[];
}

/** A change that the relay has begun to send. */
export interface SentChange {
  epoch: number;
  sequence: number;
  /** The event's id. */
  id: string;
  /** The key of its record. */
  key: string;
  /** The value of its record. */
  value: Buffer;
}

/** The change of a row, with the id and the bytes of its sending (INV-3). */
export function sentChange(row: SentRow): SentChange {
  const head = identifyChange(row, row);
  return {
    epoch: head.epoch,
    sequence: head.sequence,
    id: head.id,
    key: row.endorser,
    value: encodeChange(encodedBodyOf(row), head),
  };
}
