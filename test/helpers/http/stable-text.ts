import { formatCursor, formatEventId, parseCursor } from '../../../schemas/cursor.ts';
import { formatPageCursor } from '../../../schemas/page-cursor.ts';

/**
 * Replaces values that differ between runs by fixed ones: times, cursors and random delays. The text keeps its form,
 * and so stays valid.
 */

const TIME = '2026-09-15T17:00:00.000Z';
const NO_OFFSETS = [0, 0, 0, 0];
const RETRY_MS = 3120;
const SECRET = `whsec_${Buffer.from('an example, which is not secret.').toString('base64')}`;
const MESSAGE = 'msg_5b2f1c0de4a94d7fa3b65ad1e2c07f38';
const RECEIVER = 'https://hooks.example.org/ballots';
const DURATION_MS = 184;

/** A cursor at the same sequence, with a fixed epoch and time. */
function fixCursor(cursor: string): string {
  const { sequence } = parseCursor(cursor);
  const fixed = { epoch: 1, sequence, time: Date.parse(TIME), offsets: NO_OFFSETS };
  return cursor[11] === '_' ? formatCursor(fixed) : formatEventId(fixed);
}

/** A page's cursor with its own cursors fixed. */
function fixPageCursor(cursor: string): string {
  const state: unknown = JSON.parse(Buffer.from(cursor.split('.')[0] ?? '', 'base64url').toString());
  const [list = '', selection = '', ...rest] = state as string[];
  return formatPageCursor({ list, selection }, rest.map(fixValue));
}

const fixValue = <Value>(value: Value): Value =>
  (typeof value === 'string' ? fixText(value) : value) as Value;

const fixText = (text: string): string =>
  text
    .replaceAll(/\b[0-9a-v]{11}(_[0-9a-v]{11})?\.[\w-]{10,}/g, fixCursor)
    .replaceAll(/\bW[\w-]{20,}\.[0-9a-v]{7}\b/g, fixPageCursor)
    .replaceAll(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z/g, TIME)
    .replaceAll(/\bwhsec_[A-Za-z0-9+/]{43}=/g, SECRET)
    .replaceAll(/\bmsg_[0-9a-f]{32}\b/g, MESSAGE)
    .replaceAll(/\bhttp:\/\/127\.0\.0\.1:\d+\/hook\b/g, RECEIVER)
    .replaceAll(/"retry_ms":\d+/g, `"retry_ms":${RETRY_MS}`)
    .replaceAll(/^retry: \d+$/gm, `retry: ${RETRY_MS}`)
    .replaceAll(/\b(again in) \d+ s/g, '$1 30 s');

/** A copy of a value with its texts and durations fixed. */
export function fixTexts<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return fixValue(part);
  if (Array.isArray(part)) return part.map(fixTexts) as Part;
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, key === 'duration_ms' ? DURATION_MS : fixTexts(value)]),
  ) as Part;
}
