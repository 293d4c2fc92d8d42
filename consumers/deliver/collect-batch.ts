import { BatchCut } from '../../domain/webhooks/batch-cut.ts';
import type { Delivery } from '../../feed/fan-out.ts';
import type { FeedReader } from '../../feed/reader.ts';
import type { RenderedEvent, ResumePoint } from '../../feed/rendered-event.ts';

/** The most changes that are examined for a batch, so that rare matches are not held back for further ones. */
const MAX_EXAMINED = 10_000;

/** The matching events after a point, and the point after all examined changes. */
interface Collected {
  events: RenderedEvent[];
  end: ResumePoint;
}

/**
 * Collects the events of the next batch: as many as there are, until the batch is full.
 *
 * @throws the errors of `FeedReader.read`
 */
export async function collectBatch(reader: Pick<FeedReader, 'read'>, start: ResumePoint): Promise<Collected> {
  const cut = new BatchCut();
  let events: RenderedEvent[] = [];
  let isFull = false;
  /** Returns the point after the changes that are in the batch or do not match. */
  const add = ({ events: found, resumePoint }: Delivery): ResumePoint => {
    for (const event of found) {
      isFull = !cut.take(event.jsonLength);
      if (isFull) break;
      events.push(event);
    }
    isFull ||= cut.isFull;
    return isFull ? lastOf(events).resumePoint : resumePoint;
  };
  let end = start;
  while (!isFull && end.sequence - start.sequence < MAX_EXAMINED) {
    // Otherwise each event would keep alive all that were rendered with it.
    events = events.map((event) => event.detach());
    // No variable has the delivery, and would keep it alive during the next wait.
    const after = add(await reader.read(end));
    const isAtEnd = after.sequence === end.sequence;
    end = after;
    if (isAtEnd) break;
  }
  return { events, end };
}

const lastOf = (events: readonly RenderedEvent[]): RenderedEvent =>
  events[events.length - 1] as RenderedEvent;

/** Renders the body of a message with events, whose bytes are those of the stream (INV-11). */
export function renderMessage(events: readonly RenderedEvent[], cursor: string, now: number): Buffer {
  const time = new Date(now).toISOString();
  const head = `{"type":"endorsements.changed","timestamp":"${time}","data":{"events":[`;
  const tail = `],"cursor":"${cursor}"}}`;
  const length = events.reduce((sum, { jsonLength }) => sum + jsonLength + 1, head.length - 1 + tail.length);
  const body = Buffer.allocUnsafeSlow(length);
  let at = body.write(head, 'latin1');
  for (const [index, event] of events.entries()) {
    if (index > 0) at += body.write(',', at, 'latin1');
    at = event.copyJson(body, at);
  }
  body.write(tail, at, 'latin1');
  return body;
}
