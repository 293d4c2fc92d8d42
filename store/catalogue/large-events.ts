import type { ClientBase } from 'pg';
import { ALWAYS_SMALL_BYTES, bytesOfEvent, bytesOfPlace, describeSize } from '../../domain/event-size.ts';
import { MAX_EVENT_BYTES } from '../../schemas/event.ts';
import { OperatorError } from '../../service/operator-error.ts';
import { loadTold } from '../endorsements/announce.ts';

/** The most endorsements whose texts and names are in memory at a time. */
const MAX_LOADED = 50;

/**
 * The stale endorsements whose texts are so long that their events may be too large. Reads only the lengths of texts.
 *
 * @param after only endorsements with changes of a higher sequence
 */
export async function findLong(client: ClientBase, after?: number): Promise<number[]> {
  const { rows } = await client.query<{ ids: number[] }>(
    `SELECT COALESCE(array_agg(n.id::float8), '{}') AS ids
     FROM stale_announcements s JOIN endorsements n ON n.id = s.endorsement_id
     WHERE COALESCE(octet_length(n.statement), 0) + COALESCE(octet_length(n.source_url), 0) > $1
       ${after === undefined ? '' : 'AND n.id IN (SELECT endorsement_id FROM change_log WHERE sequence > $2)'}`,
    after === undefined ? [ALWAYS_SMALL_BYTES] : [ALWAYS_SMALL_BYTES, after],
  );
  return rows[0]?.ids ?? [];
}

/**
 * Refuses an edit whose new names would make an event too large (contract, "Records"). An event that was too large already
 * stops only an edit that makes it still larger. The caller holds the stream's lock or rolls back.
 *
 * @param long all stale endorsements with long texts
 * @throws OperatorError if an event would be too large
 */
export async function refuseLargeEvents(client: ClientBase, long: readonly number[]): Promise<void> {
  const ids = [...new Set(long)];
  let [count, largest] = [0, { id: 0, bytes: 0 }];
  for (let at = 0; at < ids.length; at += MAX_LOADED) {
    for (const { id, place, before, ...texts } of await loadTold(client, ids.slice(at, at + MAX_LOADED))) {
      const bytes = bytesOfEvent(texts, place);
      if (bytes <= MAX_EVENT_BYTES || bytesOfPlace(place) <= bytesOfPlace(before)) continue;
      count += 1;
      if (bytes > largest.bytes) largest = { id, bytes };
    }
  }
  if (count > 0) throw new OperatorError(await describe(client, count, largest));
}

async function describe(
  client: ClientBase,
  count: number,
  { id, bytes }: { id: number; bytes: number },
): Promise<string> {
  const { rows } = await client.query<{ event: string }>(
    `SELECT format('the event of %s about "%s" in %s', e.slug, h.key, c.key) AS event
     FROM endorsements n JOIN endorsers e ON e.id = n.endorser_id JOIN contests c ON c.id = n.contest_id
       JOIN choices h ON h.id = n.choice_id
     WHERE n.id = $1`,
    [id],
  );
  const others = count > 1 ? `, and ${(count - 1).toLocaleString('en-US')} more would be too large` : '';
  return `Nothing was changed: with the new names, ${rows[0]?.event} ${describeSize(bytes)}${others}. Shorten the names, or have the endorser shorten the statement.`;
}
