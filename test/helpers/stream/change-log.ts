import type { ChangeBody } from '../../../schemas/change.ts';
import { formatEventId } from '../../../schemas/cursor.ts';
import type { ChangeType } from '../../../schemas/vocabulary.ts';
import { bodyOf, STORED_BODY, type StoredBody } from '../../../store/stream/stored-body.ts';
import { withClient } from '../postgres/with-client.ts';

/** An event's body, as every reader must receive it. */
export interface EventBody extends ChangeBody {
  id: string;
  type: `endorsement.${ChangeType}`;
  /** ISO 8601, UTC, with milliseconds. */
  occurred_at: string;
}

/** The expected stream: the event of sequence n is at n - 1. */
export interface ChangeLog {
  epoch: number;
  events: readonly EventBody[];
}

/**
 * Loads the change log of a store as events, up to the last change that the relay has begun to send: from then on, ids
 * are fixed.
 *
 * @throws Error if sequences are not 1, 2, 3…, so that the log has holes or no order
 */
export async function loadChangeLog(databaseUrl: string): Promise<ChangeLog> {
  return withClient(databaseUrl, async (client) => {
    const head = await client.query<{ epoch: string }>('SELECT epoch FROM stream_head');
    const epoch = Number(head.rows[0]?.epoch);
    const { rows } = await client.query<
      StoredBody & { sequence: string; ms: string; type: ChangeType; offsets: string[] }
    >(
      `SELECT c.sequence, (extract(epoch FROM c.occurred_at) * 1000)::bigint AS ms, c.type, ${STORED_BODY}, b.offsets
       FROM change_log c CROSS JOIN LATERAL (
         SELECT offsets FROM relay_batches WHERE first_sequence <= c.sequence
         ORDER BY first_sequence DESC LIMIT 1) AS b
       WHERE c.sequence <= (SELECT max(last_sequence) FROM relay_batches) ORDER BY c.sequence`,
    );
    const events = rows.map(({ sequence, ms, type, offsets, ...stored }, index): EventBody => {
      if (Number(sequence) !== index + 1) throw new Error(`The change log has ${sequence} after ${index}.`);
      const time = Number(ms);
      const id = formatEventId({ epoch, sequence: index + 1, time, offsets: offsets.map(Number) });
      // Values from Avro have other prototypes than values that a client parses.
      const body = JSON.parse(JSON.stringify(bodyOf(stored))) as ChangeBody;
      return { id, type: `endorsement.${type}`, occurred_at: new Date(time).toISOString(), ...body };
    });
    return { epoch, events };
  });
}
