import { z } from 'zod';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { type DatabasePool, noRow, sql } from '../connection/read-pool.ts';
import type { Transaction } from './idempotency.ts';

/** The most publications that are kept of an account: the newest. */
const MAX_OF_ACCOUNT = 1000;
/** How many old ones saving one deletes: more than one, so that their number falls. */
const FORGOTTEN_AT_ONCE = 10;

/** Makes the account's publications take turns, on all gateways, until the transaction ends. */
export async function lockPublishing(transaction: Transaction, accountId: number): Promise<void> {
  await transaction.query(
    sql.type(noRow)`SELECT pg_advisory_xact_lock(${ADVISORY_LOCKS.publishing}, ${accountId})`,
  );
}

const slugRow = z.object({ slug: z.string() });

/**
 * The endorsers, of those given, for which an account may publish. None may be taken back until the transaction ends.
 *
 * @param slugs compared as they are
 */
export async function holdRights(
  transaction: Transaction,
  accountId: number,
  slugs: readonly string[],
): Promise<ReadonlySet<string>> {
  // The lock on the endorsers keeps their slugs.
  const allowed = await transaction.anyFirst(sql.type(slugRow)`
    SELECT e.slug FROM account_endorsers a JOIN endorsers e ON e.id = a.endorser_id
    WHERE a.account_id = ${accountId} AND e.slug = ANY(${sql.array([...slugs], 'text')})
    FOR KEY SHARE OF a, e`);
  return new Set(allowed);
}

const marksRow = z.object({ afterSequence: z.number(), afterRejection: z.number() });

/** The last change and the last rejection at some time. Those of submissions sent later follow. */
export type Marks = z.infer<typeof marksRow>;

/** The present last change and rejection. */
export async function loadMarks(transaction: Transaction): Promise<Marks> {
  return transaction.one(sql.type(marksRow)`
    SELECT last_sequence AS "afterSequence",
      COALESCE((SELECT max(id) FROM rejected_submissions), 0) AS "afterRejection"
    FROM stream_head`);
}

const publicationRow = marksRow.extend({
  id: z.number(),
  topicId: z.string(),
  /** One element for each submission, in the order of the request. */
  endorsers: z.array(z.string()),
  contests: z.array(z.string()),
  partitions: z.array(z.number()),
  offsets: z.array(z.number()),
});

/** Submissions of one request, with their places in Kafka. */
export type Publication = z.infer<typeof publicationRow>;

/** Saves a publication, and forgets the account's oldest beyond the limit. @returns its id */
export async function savePublication(
  transaction: Transaction,
  accountId: number,
  {
    topicId,
    endorsers,
    contests,
    partitions,
    offsets,
    afterSequence,
    afterRejection,
  }: Omit<Publication, 'id'>,
): Promise<number> {
  const idRow = publicationRow.pick({ id: true });
  const id = await transaction.oneFirst(sql.type(idRow)`
    INSERT INTO publications
      (account_id, topic_id, endorsers, contests, partitions, offsets, after_sequence, after_rejection)
    VALUES (${accountId}, ${topicId}, ${sql.array(endorsers, 'text')}, ${sql.array(contests, 'text')},
      ${sql.array(partitions, 'int4')}, ${sql.array(offsets, 'int8')}, ${afterSequence}, ${afterRejection})
    RETURNING id`);
  await transaction.query(sql.type(noRow)`
    DELETE FROM publications WHERE id IN (
      SELECT id FROM publications WHERE account_id = ${accountId} AND id <= (
        SELECT id FROM publications WHERE account_id = ${accountId} ORDER BY id DESC OFFSET ${MAX_OF_ACCOUNT} LIMIT 1)
      ORDER BY id LIMIT ${FORGOTTEN_AT_ONCE})`);
  return id;
}

/**
 * A publication of an account; null if the account has no such id, or it is older than `keptMs` milliseconds.
 */
export async function findPublication(
  pool: DatabasePool,
  { accountId, id, keptMs }: { accountId: number; id: number; keptMs: number },
): Promise<Publication | null> {
  return pool.maybeOne(sql.type(publicationRow)`
    SELECT id, topic_id AS "topicId", endorsers, contests, partitions, offsets,
      after_sequence AS "afterSequence", after_rejection AS "afterRejection"
    FROM publications
    WHERE id = ${id}::bigint AND account_id = ${accountId}
      AND created_at > now() - ${keptMs} * interval '1 millisecond'`);
}
