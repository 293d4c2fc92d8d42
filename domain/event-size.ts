import type { ChangeBody } from '../schemas/change.ts';
import { MAX_EVENT_BYTES } from '../schemas/event.ts';
import { stringifyJson } from '../schemas/json-text.ts';
import type { SubmittedPick } from '../schemas/submission.ts';
import type { Refusal } from './refusal.ts';

/** The parts of an event's body that come from the catalogue. */
type Place = Omit<ChangeBody, 'endorsement'>;

/** More than the bytes of an event besides the texts of its pick and the parts of the catalogue. */
const FIXED_BYTES = 600;
/** The most bytes of JSON for a UTF-16 code unit: a control character is written as `\u0000`. */
const MAX_UNIT_BYTES = 6;

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

/**
 * The refusal of a pick whose event would be too large (contract, "Catalogue and submission files"); undefined if it
 * fits. The event's id is not known yet, so its longest form counts.
 */
export function refuseLargeEvent(
  { statement, source_url, choice: key }: SubmittedPick,
  { endorser, contest, election, choice }: Place,
): Refusal | undefined {
  const parts = [endorser, contest, election, choice].reduce((sum, part) => sum + bytesOfPart(part), 0);
  const units = (statement?.length ?? 0) + (source_url?.length ?? 0);
  if (parts + FIXED_BYTES + MAX_UNIT_BYTES * units <= MAX_EVENT_BYTES) return undefined;
  const bytes = parts + FIXED_BYTES + bytesOf(statement) + bytesOf(source_url);
  if (bytes <= MAX_EVENT_BYTES) return undefined;
  const [size, most] = [bytes, MAX_EVENT_BYTES].map((count) => count.toLocaleString('en-US'));
  const message = `The event about "${key}" would have ${size} bytes as JSON, and may have ${most}: shorten its statement.`;
  return { code: 'event_too_large', message };
}
