/*
 * Finds the endorsements whose events carry values that a catalogue edit changes (INV-13): before rows change, their
 * parts of an event are kept; after the edit, those that differ name the endorsements that must be announced again.
 */
import type { ClientBase } from 'pg';
import { EVENT_PARTS, EVENT_TABLES, type EventPart } from '../endorsements/references.ts';
import { beginSettling, listEmptied } from './settled.ts';

/** The tables with values in events: the part that carries them, and how its rows refer to the table. */
const REACHED = {
  endorser_categories: { part: 'endorser', key: 'slug', reference: 'e.category' },
  endorsers: { part: 'endorser', key: 'id', reference: 'e.id' },
  elections: { part: 'election', key: 'id', reference: 'l.id' },
  districts: { part: 'contest', key: 'id', reference: 'c.district_id' },
  contests: { part: 'contest', key: 'id', reference: 'c.id' },
  candidates: { part: 'choice', key: 'id', reference: 'h.candidate_id' },
  choices: { part: 'choice', key: 'id', reference: 'h.id' },
} as const satisfies Record<string, { part: EventPart; key: string; reference: string }>;

/** A table with values in events. */
export type CarriedTable = keyof typeof REACHED;

const PARTS = Object.keys(EVENT_PARTS) as EventPart[];
const ID: Record<EventPart, string> = { endorser: 'e.id', contest: 'c.id', election: 'l.id', choice: 'h.id' };

/** Makes the temporary tables of one edit. They live until the transaction ends. */
export async function beginEdit(client: ClientBase): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE kept_parts (part text, id integer, value jsonb, PRIMARY KEY (part, id)) ON COMMIT DROP',
  );
  await beginSettling(client);
}

/**
 * Keeps the parts of events that rows are about to change. Parts kept earlier stay, because they are from
 * before the edit.
 *
 * @param from the FROM and WHERE that choose those rows, as `t`
 */
export async function keepParts(client: ClientBase, table: CarriedTable, from: string): Promise<void> {
  const { part, key, reference } = REACHED[table];
  await client.query(
    `INSERT INTO kept_parts
     SELECT DISTINCT ON (${ID[part]}) '${part}', ${ID[part]}, (${EVENT_PARTS[part]})::jsonb
     FROM ${EVENT_TABLES[part]} JOIN (SELECT t.${key} ${from}) AS changing ON changing.${key} = ${reference}
     ON CONFLICT DO NOTHING`,
  );
}

/** Drops the unchanged parts. @returns whether the edit can concern an endorsement */
export async function dropUnchangedParts(client: ClientBase): Promise<boolean> {
  await client.query('ANALYZE kept_parts; ANALYZE emptied_choices; ANALYZE unranked_contests');
  for (const part of PARTS) {
    await client.query(
      `DELETE FROM kept_parts
       USING (SELECT ${ID[part]} AS id, (${EVENT_PARTS[part]})::jsonb AS value FROM ${EVENT_TABLES[part]}) AS now
       WHERE kept_parts.part = '${part}' AND now.id = kept_parts.id AND now.value = kept_parts.value`,
    );
  }
  const { rows } = await client.query<{ any: boolean }>(
    'SELECT EXISTS (SELECT FROM kept_parts) OR EXISTS (SELECT FROM emptied_choices) AS any',
  );
  return rows[0]?.any ?? false;
}

/**
 * The newest endorsement's id, and the newest change's sequence. Both are drawn under the stream's lock, so all older ones
 * are committed.
 */
export async function loadNewest(client: ClientBase): Promise<{ endorsement: number; sequence: number }> {
  const { rows } = await client.query<{ endorsement: number; sequence: number }>(
    `SELECT COALESCE((SELECT max(id) FROM endorsements), 0)::float8 AS endorsement,
       last_sequence::float8 AS sequence FROM stream_head`,
  );
  return rows[0] ?? { endorsement: 0, sequence: 0 };
}

/**
 * Lists as stale the endorsements that the edit concerns, with the parts that their events carried before it.
 * No stale endorsement of an earlier edit may remain.
 *
 * @param after only endorsements with a higher id
 */
export async function listStale(client: ClientBase, after: number): Promise<void> {
  for (const part of PARTS) {
    await client.query(
      `INSERT INTO stale_announcements (endorsement_id, ${part})
       SELECT n.id, kept.value FROM kept_parts kept JOIN endorsements n ON n.${part}_id = kept.id
       WHERE kept.part = '${part}' AND n.id > $1
       ON CONFLICT (endorsement_id) DO UPDATE SET ${part} = excluded.${part}`,
      [after],
    );
  }
  await listEmptied(client, after);
}
