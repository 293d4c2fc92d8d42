import { integer, type JsonSchema, objectOf, text, time } from './json-schema.ts';
import { streamFilters } from './parameters.ts';

/** Filter fields as a JSON object: the stream's, each a list with at least one value. */
const filter: JsonSchema = {
  type: 'object',
  title: 'an object of filter fields',
  description: 'Fields combine with AND, the values of one field with OR; no fields choose everything.',
  properties: Object.fromEntries(
    Object.entries(streamFilters).map(([field, schema]) => [
      field,
      { ...schema, title: 'a list of 1 to 500 values' },
    ]),
  ),
  additionalProperties: false,
};

/** What POST and PUT take (specification, "Subscriptions"). */
export const subscriptionBody: JsonSchema = {
  type: 'object',
  title: 'an object with a name and, where wanted, a filter',
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      // Not all digits, so that no name reads as an id; no control characters.
      pattern: '^(?![0-9]+$)[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
      title: 'text of 1 to 100 characters that is not all digits',
    },
    filter,
  },
  required: ['name'],
  additionalProperties: false,
};

/** A saved filter. */
export const subscriptionRecord: JsonSchema = objectOf({
  id: integer,
  name: text,
  filter,
  created_at: time,
  updated_at: time,
});
