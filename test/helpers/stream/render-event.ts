import type { Change } from '../../../schemas/change.ts';
import { stringifyJson } from '../../../schemas/json-text.ts';

/** The text of an event's body, made from the change as an object. The gateway's text from Avro must equal it. */
export function renderEvent(change: Change): string {
  const { id, type, occurred_at, endorsement, endorser, contest, election, choice } = change;
  return stringifyJson({
    id,
    type: `endorsement.${type}`,
    occurred_at: new Date(occurred_at).toISOString(),
    endorsement,
    endorser,
    contest,
    election,
    choice,
  });
}
