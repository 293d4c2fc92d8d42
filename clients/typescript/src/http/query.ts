type Value = string | number | boolean;

/** Values of query parameters, by name. A list is sent with commas; undefined omits a parameter. */
export type QueryValues = Readonly<Record<string, Value | readonly Value[] | null | undefined>>;

/**
 * Formats a query with its question mark; empty without parameters.
 *
 * @throws TypeError for values that would change their meaning: null, an empty list, or a list with an empty text or a
 * comma in a text
 */
export function formatQuery(values: QueryValues): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) continue;
    query.set(name, formatValue(name, value));
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

function formatValue(name: string, value: Value | readonly Value[] | null): string {
  if (isList(value)) return formatList(name, value);
  if (typeof value === 'object' || (typeof value === 'number' && !Number.isSafeInteger(value))) {
    throw new TypeError(`${name} must be a text, a whole number, true or false, or a list; it is ${value}.`);
  }
  return String(value);
}

/** `Array.isArray` does not recognize readonly lists. */
function isList(value: Value | readonly Value[] | null): value is readonly Value[] {
  return Array.isArray(value);
}

function formatList(name: string, list: readonly Value[]): string {
  if (list.length === 0) {
    throw new TypeError(`${name} is an empty list, which matches nothing; leave it out to match everything.`);
  }
  const items = list.map((item) => formatValue(name, item));
  const wrong = items.find((item) => item === '' || item.includes(','));
  if (wrong === undefined) return items.join(',');
  throw new TypeError(`${name} has "${wrong}": values of a list are not empty and have no comma.`);
}
