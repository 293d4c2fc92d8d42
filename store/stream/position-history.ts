import type { ClientBase, Pool } from 'pg';
import type { ChangeBody } from '../../schemas/change.ts';
import type { ChangeType } from '../../schemas/vocabulary.ts';
import { EVENT_ID, type EventIdRow, eventIdOf, type KnownEvent } from './event-id.ts';
import { bodyOf, STORED_BODY, type StoredBody } from './stored-body.ts';

/** The endorser and the contest of a history. */
export interface HistorySubject {
  endorser: { slug: string; name: string };
  contest: { id: number; title: string; election: string; date: string };
}

/**
 * Finds an endorser by its slug, and a contest by its id or its key, even if the contest was removed; null if one of them
 * does not exist.
 */
export async function findHistorySubject(
  client: ClientBase | Pool,
  { endorser, contest }: { endorser: string; contest: { id: number } | { key: string } },
): Promise<HistorySubject | null> {
  const [id, key] = 'id' in contest ? [contest.id, null] : [null, contest.key];
  const { rows } = await client.query<HistorySubject>(
    `SELECT json_build_object('slug', e.slug, 'name', e.name) AS endorser,
       json_build_object('id', c.id, 'title', c.title, 'election', l.name, 'date', l.date) AS contest
     FROM endorsers e, contests c JOIN elections l ON l.id = c.election_id
     WHERE e.slug = $1 AND (c.id = $2 OR c.key = $3)`,
    [endorser, id, key],
  );
  return rows[0] ?? null;
}

/** The account that published a change. The key's name, or else the person, are null if they are no longer known. */
interface PublishedBy {
  id: number;
  name: string;
  /** The name of the API key; null in the console. */
  key: string | null;
  /** The person in the console; null with a key. */
  person: string | null;
}

/** A change of a position, with its author. */
export interface HistoryEntry extends KnownEvent {
  sequence: number;
  occurredAt: Date;
  type: ChangeType;
  body: ChangeBody;
  /** Whether an edit of the catalogue made the change. Other changes have a submission. */
  isFromCatalogue: boolean;
  /** The place of the submission in its topic. */
  place: { partition: number; offset: number } | null;
  /** The name that the sender of the submission gave itself. */
  sender: string | null;
  /** The account, if the change was published over HTTP or in the console and the publication is still kept. */
  publishedBy: PublishedBy | null;
}

type HistoryRow = EventIdRow & StoredBody & Omit<HistoryEntry, 'body' | keyof KnownEvent>;

/**
 * The changes of an endorser's position in a contest that the change log has, the newest first. A producer of Kafka can
 * claim to be a publication, so the publication must also have the place of the submission.
 *
 * @param page.before only changes with a lower sequence; null for all
 * @param page.limit the most changes
 */
export async function listPositionChanges(
  client: ClientBase | Pool,
  { endorser, contestId }: { endorser: string; contestId: number },
  { before, limit }: { before: number | null; limit: number },
): Promise<HistoryEntry[]> {
  const { rows } = await client.query<HistoryRow>(
    `SELECT ${EVENT_ID}, occurred_at AS "occurredAt", type, packed, body, from_catalogue AS "isFromCatalogue", place,
       sender, (
         SELECT json_build_object('id', a.id, 'name', a.name, 'person', p.person,
           'key', (SELECT COALESCE(NULLIF(k.name, ''), 'key ' || k.id) FROM api_keys k WHERE k.id = p.key_id))
         FROM publications p JOIN accounts a ON a.id = p.account_id
         WHERE p.id = substring(sender FROM '^publication ([0-9]{1,15})$')::bigint AND EXISTS (
           SELECT FROM unnest(p.partitions, p.offsets) AS sent (partition, place)
           WHERE sent.partition = (made.place ->> 'partition')::int AND sent.place = (made.place ->> 'offset')::bigint)
       ) AS "publishedBy"
     FROM stream_head, (
       SELECT sequence, occurred_at, type, ${STORED_BODY}, from_catalogue, submitted_by AS sender,
         CASE WHEN submission_offset IS NOT NULL
           THEN json_build_object('partition', submission_partition, 'offset', submission_offset) END AS place
       FROM change_log WHERE contest_id = $1 AND endorser = $2 AND sequence < $3
       ORDER BY change_log.sequence DESC LIMIT $4) AS made
     ORDER BY made.sequence DESC`,
    [contestId, endorser, before ?? Number.MAX_SAFE_INTEGER, limit],
  );
  return rows.map((row) => ({ ...row, ...eventIdOf(row), body: bodyOf(row) }));
}

/** The time of the oldest change that is kept; null if none is. */
export async function findOldestChange(client: ClientBase | Pool): Promise<Date | null> {
  const { rows } = await client.query<{ occurred_at: Date }>(
    'SELECT occurred_at FROM change_log ORDER BY occurred_at, sequence LIMIT 1',
  );
  return rows[0]?.occurred_at ?? null;
}
