import { formatCursor, formatEventId, parseCursor } from '../../../schemas/cursor.ts';
import { formatPageCursor } from '../../../schemas/page-cursor.ts';

/**
 * Replaces values that differ between runs by fixed ones: times, cursors and random delays. The text keeps its form,
 * and so stays valid.
 */

const TIME = '2026-09-15T17:00:00.000Z';
const NO_OFFSETS = [0, 0, 0, 0];
const RETRY_MS = 3120;

/** A cursor at the same sequence, with a fixed epoch and time. */
function fixCursor(cursor: string): string {
  const { sequence } = parseCursor(cursor);
  const fixed = { epoch: 1, sequence, time: Date.parse(TIME), offsets: NO_OFFSETS };
  return cursor.includes('_', 11) && cursor[11] === '_' ? formatCursor(fixed) : formatEventId(fixed);
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
    .replaceAll(/"retry_ms":\d+/g, `"retry_ms":${RETRY_MS}`)
    .replaceAll(/^retry: \d+$/gm, `retry: ${RETRY_MS}`)
    .replaceAll(/\b(again in) \d+ s/g, '$1 30 s');

/** A copy of a value with its texts fixed. */
export function fixTexts<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return fixValue(part);
  if (Array.isArray(part)) return part.map(fixTexts) as Part;
  return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, fixTexts(value)])) as Part;
}
