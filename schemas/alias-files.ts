import { Type } from 'typebox';
import * as field from './catalogue/fields.ts';
import { createRecordCheck } from './catalogue/record-check.ts';

const ALIAS_KINDS = ['endorser', 'contest', 'choice'] as const;
export type AliasKind = (typeof ALIAS_KINDS)[number];

/** The longest text that a decision is remembered for, in characters. */
export const MAX_ALIAS_TEXT = 500;

/** A decision about a text of a table: the record that it means. A line of `ops aliases export`. */
export interface Alias {
  kind: AliasKind;
  /**
   * The contest's key for a choice, the election's slug for a contest or for a contest and choice together, and empty
   * for an endorser.
   */
  scope: string;
  /** Folded words; a name beside a sign of doubt as it is written. */
  text: string;
  /** A slug, a contest's key, a choice's key, or a contest's key, a slash and a choice's key. */
  key: string;
}

/** Without the form of other texts, which composes letters that folding takes apart. */
const folded = Type.String({
  maxLength: MAX_ALIAS_TEXT,
  pattern: '\\S',
  title: `text of 1 to ${MAX_ALIAS_TEXT} characters`,
});

const form = field.record({
  kind: field.oneOf(ALIAS_KINDS),
  scope: field.title,
  text: folded,
  key: field.title,
});
const endorserForm = field.record({
  kind: field.oneOf(['endorser']),
  scope: field.optional(field.oneOf([''], 'empty')),
  text: folded,
  key: field.slug,
});

const parseScoped = createRecordCheck(form);
const parseEndorser = createRecordCheck(endorserForm);

/** Checks a line of exported decisions. Does not check that its records exist. */
export function parseAlias(json: unknown) {
  if ((json as { kind?: unknown } | null)?.kind !== 'endorser') return parseScoped(json);
  const parsed = parseEndorser(json);
  return parsed.ok ? { ok: true as const, value: { ...parsed.value, scope: '' } } : parsed;
}
