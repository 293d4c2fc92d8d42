import { createAvroCodec } from './avro-codec.ts';

/** The most picks of a submission. */
export const MAX_PICKS = 500;
/** The largest submission, in bytes of Avro: Kafka's default limit of a record. */
export const MAX_SUBMISSION_BYTES = 1024 * 1024;

export const SUBMISSION_ACTIONS = ['endorse', 'withdraw', 'position'] as const;

/** A submitted pick: one choice of an endorser in a contest. */
export interface SubmittedPick {
  /** The choice's key within the contest. */
  choice: string;
  /** 1, 2, 3... in ranked-choice contests. */
  rank: number | null;
  statement: string | null;
  statement_es: string | null;
  source_url: string | null;
  /** YYYY-MM-DD. */
  published_on: string | null;
  /** A JSON object as text. It is stored but not shown. */
  details: string | null;
}

/** An endorser's picks in one contest: a message of the submissions topic, keyed by the endorser's slug. */
export interface Submission {
  action: (typeof SUBMISSION_ACTIONS)[number];
  /** The endorser's slug. */
  endorser: string;
  /** The contest's key: election slug, slash, contest slug. */
  contest: string;
  /** One pick to endorse or withdraw; for a position, all picks of the endorser in the contest. */
  picks: SubmittedPick[];
}

export const submissionCodec = createAvroCodec<Submission>('endorsement-submission', MAX_PICKS);

/** A rejected submission: a message of the rejected topic. */
export interface Rejection {
  code: string;
  message: string;
  topic: string;
  partition: number;
  offset: number;
  /** Milliseconds since 1970. */
  rejected_at: number;
  /** The submission's bytes as read, or those of an unreadable batch; null if the record had no value. */
  value: Buffer | null;
  /** The offset of the last record of a batch that cannot be read. */
  last_offset: number | null;
  /** Set if `value` is only the beginning of the bytes, because they are large and can never be valid. */
  truncated: { size: number; sha256: Buffer } | null;
}

export const rejectionCodec = createAvroCodec<Rejection>('submission-rejection');
