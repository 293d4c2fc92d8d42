import type { LogEntry } from '../../gateway/feed/entry.ts';
import { createEntries } from '../../gateway/feed/read-entries.ts';
import { formatEventId } from '../../schemas/cursor.ts';
import type { ChangeType, StateCode } from '../../schemas/vocabulary.ts';

export interface EntryOptions {
  sequence: number;
  state?: StateCode;
  type?: ChangeType;
  /** Milliseconds since 1970. */
  occurredAt?: number;
  statement?: string | null;
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
  const [entry] = createEntries([
    {
      epoch,
      sequence,
      id: formatEventId({ epoch, sequence, time: occurredAt, offsets: [0] }),
      type,
      occurred_at: occurredAt,
      endorsement: { id: sequence, rank: null, statement, source_url: null, published_on: null },
      endorser: {
        id: 1,
        slug: 'bakers',
        name: 'Bakers',
        category: { slug: 'labor', name: 'Labor union' },
        state: 'OR',
      },
      contest: {
        id: 1,
        title: 'Mayor',
        short_title: 'Mayor',
        kind: 'candidate',
        vote_method: 'plurality',
        votes_allowed: 1,
        ranks_allowed: null,
        measure_code: null,
        district: { id: 1, name: 'Fernville', level: 'city', ocd_id: null, state },
      },
      election: { id: 1, slug: 'general', name: 'General', date: '2026-11-03', state, type: 'general' },
      choice: { id: 1, label: 'Ann', measure_answer: null, candidate: null, party: null, withdrawn: false },
    },
  ]);
  return entry as LogEntry;
}
