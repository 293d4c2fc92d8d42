import type { ClientBase, Pool } from 'pg';
import type { ChangeBody } from '../../../schemas/change.ts';
import type { ChangeType } from '../../../schemas/vocabulary.ts';
import { bodyOf, STORED_BODY, type StoredBody } from '../../../store/stream/stored-body.ts';

/** A row of the change log. */
export interface LoggedChange {
  sequence: number;
  occurredAt: Date;
  type: ChangeType;
  endorser: string;
  endorsementId: number;
  fromCatalogue: boolean;
  body: ChangeBody;
}

/** Loads the change log in its order. */
export async function loadLoggedChanges(client: ClientBase | Pool): Promise<LoggedChange[]> {
  const { rows } = await client.query<Omit<LoggedChange, 'body'> & StoredBody>(
    `SELECT sequence::int, occurred_at AS "occurredAt", type, endorser, endorsement_id::int AS "endorsementId",
       from_catalogue AS "fromCatalogue", ${STORED_BODY} FROM change_log ORDER BY sequence`,
  );
  return rows.map(({ packed, body, ...row }) => ({ ...row, body: bodyOf({ packed, body }) }));
}

/** Rewrites the change log in an earlier version's form, with only JSON bodies. */
export async function rewriteAsEarlier(client: ClientBase | Pool): Promise<void> {
  for (const { sequence, body } of await loadLoggedChanges(client)) {
    await client.query(
      'UPDATE change_log SET body = $2, packed = NULL, election_id = NULL, contest_id = NULL WHERE sequence = $1',
      [sequence, JSON.stringify(body)],
    );
  }
}
