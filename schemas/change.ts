import { createAvroCodec } from './avro-codec.ts';
import { formatCursor } from './cursor.ts';
import type { ChangeType, ContestKind, ElectionType, Level, VoteMethod } from './vocabulary.ts';

/** What changed and where on the ballot, as it was when it changed (specification, "Event body"). */
export interface ChangeBody {
  endorsement: {
    id: number;
    rank: number | null;
    statement: string | null;
    source_url: string | null;
    published_on: string | null;
  };
  endorser: {
    id: number;
    slug: string;
    name: string;
    category: { slug: string; name: string };
    state: string;
  };
  contest: {
    id: number;
    title: string;
    short_title: string;
    kind: ContestKind;
    vote_method: VoteMethod;
    votes_allowed: number | null;
    ranks_allowed: number | null;
    measure_code: string | null;
    district: { id: number; name: string; level: Level; ocd_id: string | null; state: string | null };
  };
  election: { id: number; slug: string; name: string; date: string; state: string; type: ElectionType };
  choice: {
    id: number;
    label: string;
    measure_answer: 'yes' | 'no' | null;
    candidate: { id: number; full_name: string } | null;
    party: string | null;
    withdrawn: boolean;
  };
}

/** An entry of the change stream: a message of the changes topic, keyed by the endorser's slug. */
export interface Change extends ChangeBody {
  epoch: number;
  /** 1, 2, 3... over all changes of the epoch, without gaps. */
  sequence: number;
  /** The event's id, which is also a cursor. */
  id: string;
  type: ChangeType;
  /** Milliseconds since 1970. */
  occurred_at: number;
}

/** An entry of the change log, as it stands there before it is relayed. */
export interface LoggedChange {
  sequence: number;
  /** Milliseconds since 1970. */
  occurredAt: number;
  type: ChangeType;
  body: ChangeBody;
}

/**
 * The event that a logged change becomes. Its id is fixed by the batch in which it is relayed (INV-3): `offsets` are
 * where the partitions ended before that was first sent.
 */
export function identifyChange(
  { sequence, occurredAt, type, body }: LoggedChange,
  { epoch, offsets }: { epoch: number; offsets: readonly number[] },
): Change {
  const id = formatCursor({ epoch, sequence, time: occurredAt, offsets });
  return { epoch, sequence, id, type, occurred_at: occurredAt, ...body };
}

export const changeCodec = createAvroCodec<Change>('endorsement-change');
