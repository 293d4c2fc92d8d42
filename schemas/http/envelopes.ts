import { type TProperties, type TSchema, Type } from 'typebox';
import { componentOf, described, nullable, record, text } from './fields.ts';

/* The bodies of answers. Each is named after its record: ElectionPage, StateList, ContestResponse. */

/** Names an envelope after its record. For a schema without a name, the envelope has none either. */
const envelope = <Fields extends TProperties>(
  schema: TSchema,
  { suffix, description }: { suffix: string; description: string },
  fields: Fields,
) => {
  const name = componentOf(schema)?.name;
  return name === undefined ? Type.Object(fields) : record(`${name}${suffix}`, description, fields);
};

/** A single resource. */
export const single = <Schema extends TSchema>(schema: Schema) =>
  envelope(schema, { suffix: 'Response', description: 'A single record.' }, { data: schema });

/** A list that is not paged. */
export const wholeList = <Schema extends TSchema>(schema: Schema) =>
  envelope(
    schema,
    { suffix: 'List', description: 'A whole list, which is not paged.' },
    { data: Type.Array(schema) },
  );

/** A page of a list; `next_cursor` is null on the last. */
export const page = (schema: TSchema, extra: TProperties = {}) =>
  envelope(
    schema,
    { suffix: 'Page', description: 'A page of a list.' },
    {
      data: Type.Array(schema),
      next_cursor: described(
        nullable(text),
        'Send it as cursor, with the same filters and lang, to get the next page. Null on the last page.',
      ),
      ...extra,
    },
  );
