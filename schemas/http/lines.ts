import { type TSchema, Type } from 'typebox';
import { errorBody } from './errors.ts';
import { count, described, text } from './fields.ts';

/** The first line of a whole list. */
const firstLine = Type.Object({
  stream_cursor: described(
    text,
    'The position of the stream that the records show. Reading the stream from here keeps a copy exact.',
  ),
});

/** The last line of a whole list. If it is missing, the answer was cut. */
const lastLine = Type.Object({ count: described(count, 'The number of records in this answer.') });

/** A line of a list that is sent as `application/x-ndjson`. */
export const lineOf = (schema: TSchema): TSchema => Type.Union([firstLine, schema, lastLine, errorBody]);
