import { lineOf } from '../../../schemas/http/lines.ts';
import { LINES_TYPE, type Route } from '../route.ts';
import { describeHeaders } from './headers.ts';
import type { Document, SchemaReference } from './schemas.ts';

/*
 * The lines of JSON of a list. They are described in `x-lines`, next to the operation's answers: with a second content
 * type, every generated client would return either a page or lines, and offer the parameters of both.
 */

/** The text about lines for people. */
export const ABOUT_LINES = `
### The whole list in one answer

With \`Accept: ${LINES_TYPE}\`, the answer has all records that match the filters, by id and from one snapshot: a first line
with the \`stream_cursor\`, a line for each record, and a last line with their \`count\`. An answer without the last line was
cut; continue with \`after=\` and the id of the last record. \`limit\` and \`cursor\` do not apply. An account can read two
such answers at a time.
`.trim();

/** The description of lines for programs: their own parameters, and the answer. The schema describes one line. */
export function describeLines(
  { query, record }: NonNullable<Route['lines']>,
  route: Pick<Route, 'query'>,
  { example, reference }: { example: string | undefined; reference: SchemaReference },
): Document {
  const own = Object.entries(query).filter(([name]) => !(name in route.query));
  return {
    parameters: own.map(([name, schema]) => {
      const { description, ...described } = reference.describe(schema);
      return { name, in: 'query', required: false, description, schema: described };
    }),
    example,
    response: {
      description: 'Success, if the client accepts lines of JSON rather than one document.',
      headers: describeHeaders(),
      content: { [LINES_TYPE]: { schema: reference.describe(lineOf(record)) } },
    },
  };
}
