import { createEvents } from '../../../feed/read-events.ts';
import type { RenderedEvent } from '../../../feed/rendered-event.ts';
import { type Change, changeCodec } from '../../../schemas/change.ts';
import { formatEventId } from '../../../schemas/cursor.ts';
import type { StateCode } from '../../../schemas/vocabulary.ts';
import { CHANGE_BODY } from './change-body.ts';

export interface EventOptions {
  sequence: number;
  state?: StateCode;
  /** Milliseconds since 1970. */
  occurredAt?: number;
}

/** The events of changes of one epoch. */
export function eventsOf(changes: readonly Change[]): RenderedEvent[] {
  return createEvents(changes.map(changeCodec.encode), changes[0]?.epoch ?? 0);
}

/** A change of an endorsement in a city contest. */
export function createChange({
  sequence,
  state = 'CA',
  occurredAt = 1_793_000_000_000 + sequence,
}: EventOptions): Change {
  const epoch = 7;
  return {
    epoch,
    sequence,
    id: formatEventId({ epoch, sequence, time: occurredAt, offsets: [0] }),
    type: 'created',
    occurred_at: occurredAt,
    ...CHANGE_BODY,
    endorsement: { ...CHANGE_BODY.endorsement, id: sequence, statement: null },
    endorser: { ...CHANGE_BODY.endorser, slug: 'bakers', name: 'Bakers' },
    contest: {
      ...CHANGE_BODY.contest,
      district: { ...CHANGE_BODY.contest.district, name: 'Fernville', state },
    },
    election: { ...CHANGE_BODY.election, slug: 'general', name: 'General', state },
  };
}

/** An event of a gateway's log, with memory of its own. */
export function createEvent(options: EventOptions): RenderedEvent {
  return eventsOf([createChange(options)])[0] as RenderedEvent;
}
