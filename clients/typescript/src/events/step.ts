import { ENDORSEMENT_FILTER_FIELDS } from '../filter-fields.ts';
import type { QueryValues } from '../http/query.ts';
import type { EndorsementEvent, EventFilter, EventStart } from '../types.ts';

/** A step of a reader through the stream. */
export interface Step {
  /** The cursor after the step. */
  cursor: string;
  /** The change; null if the step only passes changes outside the filter. */
  event: EndorsementEvent | null;
}

/** The start of a reader. */
export interface Start {
  /** Replaces `from` and `since` as soon as it is known. */
  cursor: string | null;
  from?: string | undefined;
  since?: string | undefined;
}

/** Reads the steps of the stream in batches as they arrive, through every temporary failure. */
export type StepSource = (start: Start, signal: AbortSignal) => AsyncIterable<readonly Step[]>;

const FILTER_FIELDS = ['subscription', 'types', ...ENDORSEMENT_FILTER_FIELDS] as const;

/** The filter fields of some options. */
export function pickFilter(options: EventFilter): QueryValues {
  return Object.fromEntries(FILTER_FIELDS.map((field) => [field, options[field]]));
}

/**
 * @throws TypeError if more than one of `cursor`, `from` and `since` is given, which the service would refuse later,
 * when there is a cursor; or if the cursor has characters that no header can have
 */
export function readStart({ cursor = null, from, since }: EventStart): Start {
  const given = [cursor ?? undefined, from, since].filter((value) => value !== undefined);
  if (given.length > 1) throw new TypeError('cursor, from and since exclude each other; give one of them.');
  if (cursor !== null && !/^[\x21-\x7e]*$/.test(cursor)) {
    throw new TypeError(
      `cursor is "${cursor}": it must be the text that the service sent, without other characters.`,
    );
  }
  return { cursor, from, since: since instanceof Date ? since.toISOString() : since };
}

/** The query parameters of a start. A cursor replaces the others. */
export function queryOfStart({ cursor, from, since }: Start): QueryValues {
  return cursor === null ? { from, since } : { cursor };
}

/**
 * The steps after a cursor. As plain text, ids and cursors sort in the order of the stream, so repeated events are
 * recognized.
 */
export function stepsAfter(cursor: string | null, steps: readonly Step[]): Step[] {
  return cursor === null ? [...steps] : steps.filter((step) => step.cursor > cursor);
}
