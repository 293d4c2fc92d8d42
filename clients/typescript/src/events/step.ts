import { ENDORSEMENT_FILTER_FIELDS } from '../filter-fields.ts';
import type { QueryValues } from '../http/query.ts';
import type { EndorsementEvent, EventFilter, EventStart } from '../types.ts';

/** A step of a reader through the stream. */
export interface Step {
  /** The reader's place after the step. */
  cursor: string;
  /** The change; null if the step only passes over changes that the filter does not choose. */
  event: EndorsementEvent | null;
}

/** Where a reader begins. */
export interface Start {
  /** Replaces `from` and `since`, once there is one. */
  cursor: string | null;
  from?: string | undefined;
  since?: string | undefined;
}

/** Reads the steps of the stream from a start, in the pieces in which they come, through every failure that passes. */
export type StepSource = (start: Start, signal: AbortSignal) => AsyncIterable<readonly Step[]>;

const FILTER_FIELDS = ['subscription', 'types', ...ENDORSEMENT_FILTER_FIELDS] as const;

/** The filter fields among some options. */
export function pickFilter(options: EventFilter): QueryValues {
  return Object.fromEntries(FILTER_FIELDS.map((field) => [field, options[field]]));
}

/**
 * @throws TypeError if more than one of `cursor`, `from` and `since` is given: the service refuses that, but only once
 *   there is a cursor
 */
export function readStart({ cursor = null, from, since }: EventStart): Start {
  const given = [cursor ?? undefined, from, since].filter((value) => value !== undefined);
  if (given.length > 1) throw new TypeError('cursor, from and since exclude each other; give one of them.');
  return { cursor, from, since: since instanceof Date ? since.toISOString() : since };
}

/** The query parameters of a start. A cursor replaces the others. */
export function queryOfStart({ cursor, from, since }: Start): QueryValues {
  return cursor === null ? { from, since } : { cursor };
}

/**
 * The steps that are ahead of a cursor. Ids and cursors of all kinds compare as plain text in the order of the stream, so
 * that an event that came before is recognized.
 */
export function stepsAfter(cursor: string | null, steps: readonly Step[]): Step[] {
  return cursor === null ? [...steps] : steps.filter((step) => step.cursor > cursor);
}
