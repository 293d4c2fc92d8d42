import type { TSchema } from 'typebox';
import { normalizeAddress, normalizeLines, normalizeText } from '../text.ts';

const FORMS = { line: normalizeText, lines: normalizeLines, address: normalizeAddress };
/** The form of a field's text. Texts of fields without one stay as they are. */
export type TextForm = keyof typeof FORMS;

/** The keywords of a field's JSON Schema that this reads. */
interface Texts {
  type?: unknown;
  textForm?: TextForm;
  items?: Texts;
  properties?: Record<string, Texts>;
}

/**
 * A JSON value with the texts of its fields in their one form (contract, "Text"). Values that no field describes, such
 * as unknown keys of `details`, stay as they are. An optional long text without a word is null, as if it were missing.
 */
export function normalizeTexts(value: unknown, field: TSchema): unknown {
  return normalize(value, field as Texts);
}

function normalize(value: unknown, { type, textForm, items, properties }: Texts): unknown {
  if (typeof value === 'string') {
    const text = textForm === undefined ? value : FORMS[textForm](value);
    return text === '' && textForm === 'lines' && Array.isArray(type) ? null : text;
  }
  if (Array.isArray(value)) return items ? value.map((item) => normalize(item, items)) : value;
  if (typeof value !== 'object' || value === null || !properties) return value;
  const normalized: Record<string, unknown> = { ...value };
  for (const [name, field] of Object.entries(properties)) {
    if (Object.hasOwn(normalized, name)) normalized[name] = normalize(normalized[name], field);
  }
  return normalized;
}
