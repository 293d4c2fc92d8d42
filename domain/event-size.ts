import { MAX_KEY, MAX_TITLE } from '../schemas/catalogue/fields.ts';
import type { ChangeBody } from '../schemas/change.ts';
import { MAX_EVENT_BYTES } from '../schemas/event.ts';
import { stringifyJson } from '../schemas/json-text.ts';
import type { SubmittedPick } from '../schemas/submission.ts';
import type { Refusal } from './refusal.ts';

/** The parts of an event's body that come from the catalogue. */
export type Place = Omit<ChangeBody, 'endorsement'>;

/** More than the bytes of an event besides the texts of its pick and the parts of the catalogue. */
const FIXED_BYTES = 600;
/** The most bytes of JSON for a UTF-16 code unit: a control character is written as `\u0000`. */
const MAX_UNIT_BYTES = 6;

/**
 * More than the bytes of the catalogue's parts of any event: ten names and four keys, and the other fields. No character
 * of these takes more than four bytes, since their form has no control characters and no line breaks.
 */
const MAX_PLACE_BYTES = 4 * (10 * MAX_TITLE + 4 * MAX_KEY) + 1500;
/**
 * An event whose statement and source have no more bytes of UTF-8 together is never too large. JSON at most doubles these:
 * by their form, it escapes only their quotes, backslashes and line feeds.
 */
export const ALWAYS_SMALL_BYTES = (MAX_EVENT_BYTES - FIXED_BYTES - MAX_PLACE_BYTES) / 2;

/** The bytes of parts of the catalogue as JSON. Many events share a part, which never changes. */
const partBytes = new WeakMap<object, number>();

function bytesOfPart(part: object): number {
  let bytes = partBytes.get(part);
  if (bytes === undefined) {
    bytes = bytesOf(part);
    partBytes.set(part, bytes);
  }
  return bytes;
}

const bytesOf = (value: unknown): number => Buffer.byteLength(stringifyJson(value));

/** The bytes of the parts of an event's body that come from the catalogue, as JSON. */
export const bytesOfPlace = ({ endorser, contest, election, choice }: Place): number =>
  [endorser, contest, election, choice].reduce((sum, part) => sum + bytesOfPart(part), 0);

/** The bytes of an event as JSON. Its id may not be known yet, so its longest form counts. */
export function bytesOfEvent(
  { statement, source_url }: Pick<SubmittedPick, 'statement' | 'source_url'>,
  place: Place,
): number {
  return bytesOfPlace(place) + FIXED_BYTES + bytesOf(statement) + bytesOf(source_url);
}

/** The size of an event and the most, as parts of a sentence. */
export function describeSize(bytes: number): string {
  const [size, most] = [bytes, MAX_EVENT_BYTES].map((count) => count.toLocaleString('en-US'));
  return `would have ${size} bytes as JSON, and may have ${most}`;
}

/**
 * The refusal of a pick whose event would be too large (contract, "Catalogue and submission files"); undefined if it
 * fits.
 */
export function refuseLargeEvent(pick: SubmittedPick, place: Place): Refusal | undefined {
  const units = (pick.statement?.length ?? 0) + (pick.source_url?.length ?? 0);
  if (bytesOfPlace(place) + FIXED_BYTES + MAX_UNIT_BYTES * units <= MAX_EVENT_BYTES) return undefined;
  const bytes = bytesOfEvent(pick, place);
  if (bytes <= MAX_EVENT_BYTES) return undefined;
  const message = `The event about "${pick.choice}" ${describeSize(bytes)}: shorten its statement.`;
  return { code: 'event_too_large', message };
}
