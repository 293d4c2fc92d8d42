import { type CatalogueLine, SMALL_BALLOT } from './catalogue.ts';

/** Calls that a browser would make if it took a text for markup, for each place of a text on a page. */
const CALL = 'window.hacked=1';
/** It tries to end a text, an attribute in either quote, a script, and a comment. */
export const HOSTILE = `'"></script>--><script>${CALL}</script><img src=x onerror=${CALL}>"onmouseover="${CALL}`;
/** An address that runs a script when somebody follows it. */
export const HOSTILE_ADDRESS = `javascript:${CALL}`;

/** Fields with words for people; the formats of all others exclude markup. */
const TEXTS = new Set([
  'name',
  'name_es',
  'title',
  'title_es',
  'short_title',
  'label',
  'label_es',
  'party_label',
  'full_name',
  'measure_code',
]);

/** A record with hostile words in every field for words. */
function poison(value: unknown, key = ''): unknown {
  if (Array.isArray(value)) return value.map((item) => poison(item));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, poison(item, name)]));
  }
  if (typeof value !== 'string' || !TEXTS.has(key)) return value;
  return key === 'measure_code' ? '<script>' : `${HOSTILE} ${value}`;
}

/** The small ballot, with markup in every text. */
export const HOSTILE_BALLOT: CatalogueLine[] = SMALL_BALLOT.map(([kind, record]) => [
  kind,
  poison(record) as object,
]);
