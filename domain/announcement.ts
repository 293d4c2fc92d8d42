import { isDeepStrictEqual } from 'node:util';
import type { ChangeBody } from '../schemas/change.ts';
import type { ChangeType } from '../schemas/vocabulary.ts';
import { facetsOf } from './stream-filter.ts';

/** An endorsement whose events may carry values that the catalogue no longer has. */
export interface StaleEndorsement {
  /** The values that its last event carried. */
  announced: ChangeBody;
  /** The values that the catalogue has now. */
  current: ChangeBody;
  /** Whether its contest or choice was removed from the catalogue. */
  isRemoved: boolean;
}

/** An event that is due, without its place in the stream. */
export interface Announcement {
  type: ChangeType;
  body: ChangeBody;
}

/**
 * The events that make every copy of an endorsement true again (INV-13; contract, "Stream and events"). A change of a
 * value that filters look at is a deletion with the old values and a creation with the new ones: a copy behind a filter
 * that matched only the old values would otherwise keep the endorsement for ever.
 */
export function announceStale({ announced, current, isRemoved }: StaleEndorsement): Announcement[] {
  if (isRemoved) return [{ type: 'deleted', body: announced }];
  if (isDeepStrictEqual(announced, current)) return [];
  if (isDeepStrictEqual(facetsOf('updated', announced), facetsOf('updated', current))) {
    return [{ type: 'updated', body: current }];
  }
  return [
    { type: 'deleted', body: announced },
    { type: 'created', body: current },
  ];
}
