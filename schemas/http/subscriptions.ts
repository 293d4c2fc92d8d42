import { type TProperties, Type } from 'typebox';
import { described, named, record, recordId, text, time } from './fields.ts';
import { streamFilters } from './parameters.ts';

const filterFields: TProperties = Object.fromEntries(
  Object.entries(streamFilters).map(([field, schema]) => [
    field,
    Type.With(schema, { title: 'a list of 1 to 500 values' }),
  ]),
);

/** A filter of changes as a JSON object. */
export const filter = named(
  'Filter',
  'A filter of changes. Fields combine with AND, the values of one field with OR; no fields choose everything.',
  Type.Object(filterFields, { title: 'an object of filter fields', additionalProperties: false }),
);

/** The most characters of the name of a record. */
export const MAX_NAME = 100;

/** The name that an account gives a record. */
export const recordName = Type.String({
  minLength: 1,
  maxLength: MAX_NAME,
  // Not all digits, so that a name never looks like an id; no control characters.
  pattern: '^(?![0-9]+$)[^\\u0000-\\u001f\\u007f]*\\S[^\\u0000-\\u001f\\u007f]*$',
  title: 'text of 1 to 100 characters, without control characters and not all digits',
  description: 'Unique within the account.',
});

/** The body of POST and PUT (specification, "Subscriptions"). */
export const subscriptionBody = named(
  'SubscriptionBody',
  'A subscription to save.',
  Type.Object(
    {
      name: recordName,
      filter: Type.Optional(filter),
    },
    { title: 'an object with a name and optionally a filter', additionalProperties: false },
  ),
);

/** A saved filter. */
export const subscription = record('Subscription', 'A saved filter of the account.', {
  id: recordId,
  name: described(text, 'Unique within the account.'),
  filter,
  created_at: time,
  updated_at: described(time, 'When it was created or last replaced.'),
});
