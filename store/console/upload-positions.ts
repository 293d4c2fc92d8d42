import type { ClientBase, Pool } from 'pg';
import type { UndoablePosition } from '../../domain/undo.ts';
import type { SubmittedPick } from '../../schemas/submission.ts';
import type { VoteMethod } from '../../schemas/vocabulary.ts';
import { PICK } from '../endorsements/endorsement-rows.ts';
import { touchedPositions } from '../intake/stage-effects.ts';

/** The picks of an endorser in a contest. */
const picksOf = (endorserId: string, contestId: string) => `(
  SELECT COALESCE(jsonb_agg(${PICK} ORDER BY n.rank, h.ballot_order, h.id), '[]')
  FROM endorsements n JOIN choices h ON h.id = n.choice_id
  WHERE n.endorser_id = ${endorserId} AND n.contest_id = ${contestId})`;

/** Notes the last change of the stream. The positions that are kept afterwards have no earlier one. */
export async function beginPositions(client: ClientBase, uploadId: number): Promise<void> {
  await client.query(
    'UPDATE uploads SET since_sequence = (SELECT last_sequence FROM stream_head) WHERE id = $1',
    [uploadId],
  );
}

/** Keeps the present positions that the staged rows may change. @param replace whether what the rows lack is withdrawn */
export async function keepStagedPositions(
  client: ClientBase,
  uploadId: number,
  { replace }: { replace: boolean },
): Promise<void> {
  await client.query(
    `INSERT INTO upload_positions (upload_id, endorser_id, contest_id, before)
     SELECT $1, e.id, c.id, ${picksOf('e.id', 'c.id')}
     FROM (${touchedPositions(replace)}) AS touched JOIN endorsers e ON e.slug = touched.endorser
       JOIN contests c ON c.key = touched.contest`,
    [uploadId],
  );
}

/** Keeps positions of an upload. */
export async function keepPositions(
  client: ClientBase,
  uploadId: number,
  positions: readonly { endorserId: number; contestId: number; before: readonly SubmittedPick[] }[],
): Promise<void> {
  await client.query(
    `INSERT INTO upload_positions (upload_id, endorser_id, contest_id, before)
     SELECT $1, "endorserId", "contestId", before
     FROM jsonb_to_recordset($2) AS kept ("endorserId" integer, "contestId" integer, before jsonb)`,
    [uploadId, JSON.stringify(positions)],
  );
}

/** How much of an upload is known, so that it can be undone. */
export interface KnownUpload {
  /** Whether the positions before it were kept. */
  isKept: boolean;
  /** Whether its submissions, their outcomes and every change since are known. */
  isKnown: boolean;
  /** Whether some submissions are not applied yet. */
  isOnItsWay: boolean;
}

/** Finds out how much of an upload is known. */
export async function findKnownUpload(client: ClientBase | Pool, uploadId: number): Promise<KnownUpload> {
  const { rows } = await client.query<KnownUpload>(
    `WITH sent AS (
       SELECT b.publication_id, p.partitions, p.offsets, t.topic
       FROM upload_batches b LEFT JOIN publications p ON p.id = b.publication_id
         LEFT JOIN consumed_topics t ON t.topic_id = p.topic_id
       WHERE b.upload_id = $1 AND b.publication_id IS NOT NULL)
     SELECT f.since_sequence IS NOT NULL AND EXISTS (SELECT FROM sent) AS "isKept",
       -- Sequences have no gaps, and the oldest changes leave the log first.
       (f.since_sequence >= head.last_sequence
         OR EXISTS (SELECT FROM change_log WHERE sequence = f.since_sequence + 1))
       AND NOT EXISTS (SELECT FROM sent WHERE topic IS NULL) AS "isKnown",
       EXISTS (
         SELECT FROM sent CROSS JOIN LATERAL unnest(sent.partitions, sent.offsets) AS at (partition, place)
           LEFT JOIN consumer_offsets o ON o.topic = sent.topic AND o.partition = at.partition
         WHERE at.place >= COALESCE(o.next_offset, 0)) AS "isOnItsWay"
     FROM uploads f, stream_head head WHERE f.id = $1`,
    [uploadId],
  );
  return rows[0] ?? { isKept: false, isKnown: false, isOnItsWay: false };
}

/** A choice that a position has, or had. */
interface PositionChoice {
  key: string;
  label: string;
  isRemoved: boolean;
}

/** A position to which an upload refers, before it and now. */
export interface UploadedPosition extends Omit<UndoablePosition, 'contest'> {
  endorserId: number;
  contestId: number;
  endorserName: string;
  /** The key and the title. */
  contest: string;
  title: string;
  voteMethod: VoteMethod;
  /** Whether the contest was removed. */
  isRemoved: boolean;
  choices: PositionChoice[];
}

const PAGE = 100;

/**
 * Makes the temporary table of the places of an upload's submissions, which lives until the caller's transaction ends. A
 * change is the upload's if its record names a publication of the upload, and has the place of one of its submissions:
 * a producer of Kafka can claim the name.
 */
async function createPlaces(client: ClientBase, uploadId: number): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE upload_places (sender text, partition integer, place bigint) ON COMMIT DROP',
  );
  await client.query(
    `INSERT INTO upload_places
     SELECT 'publication ' || p.id, sent.partition, sent.place
     FROM upload_batches b JOIN publications p ON p.id = b.publication_id
       CROSS JOIN LATERAL unnest(p.partitions, p.offsets) AS sent (partition, place)
     WHERE b.upload_id = $1`,
    [uploadId],
  );
  await client.query('CREATE INDEX ON upload_places (place, partition)');
  await client.query('ANALYZE upload_places');
}

// OFFSET 0 keeps Postgres from evaluating a subquery more than once.
const UPLOADED_POSITIONS = `
  SELECT u.endorser_id AS "endorserId", u.contest_id AS "contestId", e.slug AS endorser, e.name AS "endorserName",
    c.key AS contest, c.title, c.vote_method AS "voteMethod", c.removed_at IS NOT NULL AS "isRemoved",
    EXISTS (SELECT FROM account_endorsers a WHERE a.account_id = $4 AND a.endorser_id = e.id) AS "isAllowed",
    u.before, now_there.present, (
      SELECT COALESCE(json_agg(json_build_object(
        'key', h.key, 'label', h.label, 'isRemoved', h.removed_at IS NOT NULL)), '[]')
      FROM choices h WHERE h.contest_id = c.id AND h.key IN (
        SELECT pick ->> 'choice' FROM jsonb_array_elements(u.before || now_there.present) AS pick)) AS choices,
    COALESCE(since."isMade", false) AS "isMade", COALESCE(since."isChanged", false) AS "isChanged"
  FROM upload_positions u JOIN uploads f ON f.id = u.upload_id JOIN endorsers e ON e.id = u.endorser_id
    JOIN contests c ON c.id = u.contest_id
    CROSS JOIN LATERAL (SELECT ${picksOf('u.endorser_id', 'u.contest_id')} AS present OFFSET 0) AS now_there
    CROSS JOIN LATERAL (
      SELECT bool_or(is_own) AS "isMade", bool_or(NOT is_own) AS "isChanged" FROM (
        SELECT EXISTS (
          SELECT FROM upload_places o WHERE o.sender = g.submitted_by AND o.partition = g.submission_partition
            AND o.place = g.submission_offset) AS is_own
        FROM change_log g
        WHERE g.contest_id = c.id AND g.endorser = e.slug AND g.sequence > f.since_sequence AND NOT g.from_catalogue
        OFFSET 0) AS changes) AS since
  WHERE u.upload_id = $1 AND (u.endorser_id, u.contest_id) > ($2, $3)
  ORDER BY u.endorser_id, u.contest_id LIMIT ${PAGE}`;

/**
 * The positions to which an upload refers, each as it is when it is read. Once in a transaction.
 *
 * @param client in a transaction
 */
export async function* readUploadedPositions(
  client: ClientBase,
  { accountId, uploadId }: { accountId: number; uploadId: number },
): AsyncGenerator<UploadedPosition> {
  await createPlaces(client, uploadId);
  let after: [endorserId: number, contestId: number] = [0, 0];
  for (;;) {
    const { rows } = await client.query<UploadedPosition>({
      name: 'uploaded-positions',
      text: UPLOADED_POSITIONS,
      values: [uploadId, ...after, accountId],
    });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = [last.endorserId, last.contestId];
  }
}
