import type { StreamFilter } from '../../../domain/stream-filter.ts';
import type { FilterField } from '../../../schemas/vocabulary.ts';

/** The fields of a filter in the order of a page, with their names. */
export const FIELD_LABELS = {
  states: 'States',
  elections: 'Elections',
  levels: 'Levels',
  contest_kinds: 'Kinds of contest',
  categories: 'Categories of endorsers',
  endorsers: 'Endorsers',
  endorser_states: 'Home states of endorsers',
  types: 'Types of change',
} as const satisfies Record<FilterField, string>;

/** The fields in the order of a page. */
export const FIELDS = Object.keys(FIELD_LABELS) as FilterField[];

/**
 * Reads a filter from a form or an address: fields may be repeated, and their values comma-separated. Values are not
 * checked, since the API does.
 */
export function readFilter(fields: URLSearchParams): StreamFilter {
  const chosen = FIELDS.map((field) => {
    const values = fields.getAll(field).flatMap((text) => text.split(','));
    return [
      field,
      [...new Set(values.map((value) => value.trim()))].filter((value) => value !== ''),
    ] as const;
  });
  return Object.fromEntries(chosen.filter(([, values]) => values.length > 0));
}

/** Writes a filter as the parameters of the API and of pages. */
export function writeFilter(filter: StreamFilter): URLSearchParams {
  const written = new URLSearchParams();
  for (const field of FIELDS) if (filter[field]) written.set(field, filter[field].join(','));
  return written;
}

/** How many values of a field a summary names. */
const MOST_NAMED = 4;

/**
 * A filter in words: "States: CA, OR; Types of change: created".
 *
 * @param mostNamed how many values of a field it names
 */
export function describeFilter(filter: StreamFilter, mostNamed = MOST_NAMED): string {
  const parts = FIELDS.flatMap((field) => {
    const values = filter[field];
    if (!values) return [];
    const more = values.length > mostNamed ? ` and ${values.length - mostNamed} more` : '';
    return [`${FIELD_LABELS[field]}: ${values.slice(0, mostNamed).join(', ')}${more}`];
  });
  return parts.length === 0 ? 'Every change' : parts.join('; ');
}
