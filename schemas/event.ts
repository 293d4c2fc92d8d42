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

const BEFORE_ID = '\nid: ';
const BEFORE_DATA = '\ndata: ';
/** What ends a frame of Server-Sent Events. */
export const FRAME_END = '\n\n';

/**
 * What stands before the data of a frame of Server-Sent Events.
 *
 * @param frame.event the event's name, by which EventSource calls listeners.
 * @param frame.id a cursor.
 */
export function renderFrameHead({ event, id }: { event: string; id: string }): string {
  return `event: ${event}${BEFORE_ID}${id}${BEFORE_DATA}`;
}

/** The id in the head of a frame. */
export function parseFrameId(head: string): string {
  return head.slice(head.indexOf(BEFORE_ID) + BEFORE_ID.length, head.lastIndexOf(BEFORE_DATA));
}

/** A frame of Server-Sent Events. `data` is JSON, which has no line break in it. */
export function renderFrame({ data, ...head }: { event: string; id: string; data: string }): string {
  return `${renderFrameHead(head)}${data}${FRAME_END}`;
}
