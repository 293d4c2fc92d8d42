import { createAvroCodec } from './avro-codec.ts';
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

export const changeCodec = createAvroCodec<Change>('endorsement-change');
