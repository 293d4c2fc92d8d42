import type { LogEntry } from '../../../gateway/feed/entry.ts';
import { createEntries } from '../../../gateway/feed/read-entries.ts';
import { type Change, changeCodec } from '../../../schemas/change.ts';
import { formatEventId } from '../../../schemas/cursor.ts';
import type { ChangeType, StateCode } from '../../../schemas/vocabulary.ts';
import { CHANGE_BODY } from './change-body.ts';

export interface EntryOptions {
  sequence: number;
  state?: StateCode;
  type?: ChangeType;
  /** Milliseconds since 1970. */
  occurredAt?: number;
  statement?: string | null;
}

/** The entries of changes of one epoch. */
export function entriesOf(changes: readonly Change[]): LogEntry[] {
  return createEntries(changes.map(changeCodec.encode), changes[0]?.epoch ?? 0);
}

/** An entry of a gateway's log: an endorsement in a city contest. */
export function createEntry({
  sequence,
  state = 'CA',
  type = 'created',
  occurredAt = 1_793_000_000_000 + sequence,
  statement = null,
}: EntryOptions): LogEntry {
  const epoch = 7;
  const [entry] = entriesOf([
    {
      epoch,
      sequence,
      id: formatEventId({ epoch, sequence, time: occurredAt, offsets: [0] }),
      type,
      occurred_at: occurredAt,
      ...CHANGE_BODY,
      endorsement: { ...CHANGE_BODY.endorsement, id: sequence, statement },
      endorser: { ...CHANGE_BODY.endorser, slug: 'bakers', name: 'Bakers' },
      contest: {
        ...CHANGE_BODY.contest,
        district: { ...CHANGE_BODY.contest.district, name: 'Fernville', state },
      },
      election: { ...CHANGE_BODY.election, slug: 'general', name: 'General', state },
    },
  ]);
  return entry as LogEntry;
}
