import type { Change } from './change.ts';

/** The text of an event's body (specification, "Event body"): the same for everyone, for ever (INV-3). */
export function renderEvent(change: Change): string {
  const { id, type, occurred_at, endorsement, endorser, contest, election, choice } = change;
  return JSON.stringify({
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

/**
 * A frame of Server-Sent Events. `data` is JSON, which has no line break in it; `id` is a cursor.
 *
 * @param frame.event the event's name, by which EventSource calls listeners.
 */
export function renderFrame({ event, id, data }: { event: string; id: string; data: string }): string {
  return `event: ${event}\nid: ${id}\ndata: ${data}\n\n`;
}
