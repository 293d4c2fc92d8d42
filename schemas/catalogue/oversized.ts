import type { TSchema } from 'typebox';
import { joinField, MAX_PROBLEMS, type Problem, showName } from '../problems.ts';

/** The keywords of a field's JSON Schema that this check reads. */
interface Bounds {
  title?: string;
  maxItems?: number;
  items?: Bounds;
  properties?: Record<string, Bounds>;
  additionalProperties?: boolean;
}

/**
 * The lists of a JSON value with more items than their field allows, and the objects with more than MAX_PROBLEMS
 * unknown fields. Checking the contents of these would find an error for each part.
 */
export function oversizedParts(value: unknown, field: TSchema): Problem[] {
  return [...findOversized(value, field as Bounds, null)];
}

function* findOversized(value: unknown, bounds: Bounds, field: string | null): Generator<Problem> {
  if (Array.isArray(value)) {
    const { items, title, maxItems = Number.POSITIVE_INFINITY } = bounds;
    if (value.length > maxItems) yield { field, message: `must be ${title}, is a list of ${value.length}` };
    else if (items?.properties || items?.items) {
      for (const [index, item] of value.entries()) yield* findOversized(item, items, joinField(field, index));
    }
  } else if (typeof value === 'object' && value !== null && bounds.properties) {
    const { properties, additionalProperties } = bounds;
    const isUnknown = (name: string) => !Object.hasOwn(properties, name);
    const unknown = additionalProperties === false ? Object.keys(value).filter(isUnknown) : [];
    if (unknown.length > MAX_PROBLEMS) {
      const [first = ''] = unknown;
      const known = Object.keys(properties).join(', ');
      const message = `has ${unknown.length} unknown fields, the first ${showName(first)}; known are ${known}`;
      yield { field, message };
      return;
    }
    for (const [name, part] of Object.entries(properties)) {
      yield* findOversized((value as Record<string, unknown>)[name], part, joinField(field, name));
    }
  }
}
