import { BatchCut } from '../../domain/webhooks/batch-cut.ts';
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
  const events: RenderedEvent[] = [];
  let end = start;
  while (end.sequence - start.sequence < MAX_EXAMINED) {
    const { events: found, resumePoint } = await reader.read(end);
    for (const event of found) {
      if (!cut.take(event.jsonLength)) return { events, end: lastOf(events).resumePoint };
      events.push(event);
    }
    if (cut.isFull) return { events, end: lastOf(events).resumePoint };
    const isAtEnd = resumePoint.sequence === end.sequence;
    end = resumePoint;
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
