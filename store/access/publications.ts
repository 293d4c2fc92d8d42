import { z } from 'zod';
import { ADVISORY_LOCKS } from '../connection/advisory-locks.ts';
import { type DatabasePool, noRow, sql, type Transaction } from '../connection/read-pool.ts';

/** The most publications that are kept of an account: the newest. */
const MAX_OF_ACCOUNT = 1000;
/** How many old ones saving one deletes: more than one, so that their number falls. */
const FORGOTTEN_AT_ONCE = 10;

/** The longest time that publications are kept, in milliseconds: as long as Kafka keeps submissions. */
const MAX_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

/** How long publications are kept, in milliseconds. @param retentionMs how long events are */
export const publicationsKeptMs = (retentionMs: number): number => Math.min(retentionMs, MAX_KEPT_MS);

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

const marksRow = z.object({ id: z.number(), afterSequence: z.number(), afterRejection: z.number() });

/** A new publication's id, and the last change and rejection before it: those of its submissions follow. */
export type Marks = z.infer<typeof marksRow>;

/** Reserves the id of a publication, before its submissions are sent. */
export async function beginPublication(transaction: Transaction): Promise<Marks> {
  return transaction.one(sql.type(marksRow)`
    SELECT nextval(pg_get_serial_sequence('publications', 'id')) AS id, last_sequence AS "afterSequence",
      COALESCE((SELECT max(id) FROM rejected_submissions), 0) AS "afterRejection"
    FROM stream_head`);
}

const newsRow = z.object({ isChanged: z.boolean(), isOnItsWay: z.boolean() });

/**
 * The news of positions since a change of the stream: whether one has changed, and whether a submission of the account
 * about one is still on its way. The account's lock is held, so nothing of the account follows meanwhile.
 *
 * @param positions.endorser a slug
 * @param positions.contest a contest's key
 */
export async function findNews(
  transaction: Transaction,
  {
    accountId,
    positions,
    since,
  }: { accountId: number; positions: readonly { endorser: string; contest: string }[]; since: number },
): Promise<z.infer<typeof newsRow>> {
  const endorsers = sql.array(
    positions.map(({ endorser }) => endorser),
    'text',
  );
  const contests = sql.array(
    positions.map(({ contest }) => contest),
    'text',
  );
  return transaction.one(sql.type(newsRow)`
    WITH asked AS (SELECT * FROM unnest(${endorsers}, ${contests}) AS given (endorser, contest)),
      -- The places of the others, which are nearly all, are not read.
      unapplied AS MATERIALIZED (
        SELECT p.id, t.topic FROM publications p JOIN consumed_topics t ON t.topic_id = p.topic_id
        WHERE p.account_id = ${accountId} AND (p.ends IS NULL OR EXISTS (
          SELECT FROM jsonb_each_text(p.ends) AS last (partition, place)
            LEFT JOIN consumer_offsets o ON o.topic = t.topic AND o.partition = last.partition::int
          WHERE last.place::bigint >= COALESCE(o.next_offset, 0))))
    SELECT EXISTS (
        SELECT FROM asked JOIN contests c ON c.key = asked.contest
          JOIN change_log g ON g.contest_id = c.id AND g.endorser = asked.endorser
        WHERE g.sequence > ${since}) AS "isChanged",
      EXISTS (
        SELECT FROM unapplied u JOIN publications p USING (id)
          CROSS JOIN LATERAL unnest(p.endorsers, p.contests, p.partitions, p.offsets)
            AS sent (endorser, contest, partition, place)
          LEFT JOIN consumer_offsets o ON o.topic = u.topic AND o.partition = sent.partition
        WHERE sent.place >= COALESCE(o.next_offset, 0)
          AND (sent.endorser, sent.contest) IN (SELECT endorser, contest FROM asked)) AS "isOnItsWay"`);
}

const publicationRow = marksRow.extend({
  topicId: z.string(),
  /** One element for each submission, in the order of the request. */
  endorsers: z.array(z.string()),
  contests: z.array(z.string()),
  partitions: z.array(z.number()),
  offsets: z.array(z.number()),
});

/** Submissions of one request, with their places in Kafka. */
export type Publication = z.infer<typeof publicationRow>;

/** The sender that the records of a publication name. */
export const nameSender = (id: number): string => `publication ${id}`;

/** The author of a publication: an API key, or a session of the console. */
export type Author = { key: number } | { session: number };

/** Saves a publication, and forgets the account's oldest beyond the limit. A session's person is kept with it. */
export async function savePublication(
  transaction: Transaction,
  { accountId, author }: { accountId: number; author: Author },
  { id, topicId, endorsers, contests, partitions, offsets, afterSequence, afterRejection }: Publication,
): Promise<void> {
  const [key, session] = 'key' in author ? [author.key, null] : [null, author.session];
  const ends: Record<number, number> = {};
  for (const [at, partition] of partitions.entries()) {
    ends[partition] = Math.max(ends[partition] ?? 0, offsets[at] ?? 0);
  }
  await transaction.query(sql.type(noRow)`
    INSERT INTO publications (id, account_id, key_id, person, topic_id, endorsers, contests, partitions, offsets,
      ends, after_sequence, after_rejection)
    OVERRIDING SYSTEM VALUE
    VALUES (${id}, ${accountId}, ${key},
      (SELECT COALESCE(s.link_person, p.email) FROM console_sessions s LEFT JOIN people p ON p.id = s.person_id
       WHERE s.id = ${session}),
      ${topicId}, ${sql.array(endorsers, 'text')}, ${sql.array(contests, 'text')},
      ${sql.array(partitions, 'int4')}, ${sql.array(offsets, 'int8')},
      ${sql.jsonb(ends)}, ${afterSequence}, ${afterRejection})`);
  await transaction.query(sql.type(noRow)`
    DELETE FROM publications WHERE id IN (
      SELECT id FROM publications WHERE account_id = ${accountId} AND id <= (
        SELECT id FROM publications WHERE account_id = ${accountId} ORDER BY id DESC OFFSET ${MAX_OF_ACCOUNT} LIMIT 1)
      ORDER BY id LIMIT ${FORGOTTEN_AT_ONCE})`);
}

/**
 * Remembers that a batch of an upload of the account is published, with the publication: if the answer is lost, the batch
 * is not sent again. Nothing happens if no batch has the Idempotency-Key.
 */
export async function markBatch(
  transaction: Transaction,
  { accountId, key, publicationId }: { accountId: number; key: string; publicationId: number },
): Promise<void> {
  await transaction.query(sql.type(noRow)`
    UPDATE upload_batches SET publication_id = ${publicationId}, submissions = ''
    WHERE upload_id IN (SELECT id FROM uploads WHERE account_id = ${accountId}) AND idempotency_key = ${key}`);
}

/** A publication of an account; null if the account has no such id, or it is older than `keptMs` milliseconds. */
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
