import { type TSchema, Type } from 'typebox';
import type { Route } from '../route.ts';
import { referToErrorAnswers } from './error-answers.ts';
import { examples, type OperationExample } from './examples.ts';
import { describeHeader, describeHeaders } from './headers.ts';
import { ABOUT_LINES, describeLines } from './lines.ts';
import type { Document, SchemaReference } from './schemas.ts';
import { describeStream } from './stream.ts';

const JSON_TYPE = 'application/json';

/** Whether answers have an ETag, with which clients can check that they are still current. */
const isRevalidated = ({ method, response, once }: Route): boolean =>
  method === 'GET' && response !== null && !once;

const exampleOf = ({ operationId }: Route): OperationExample => examples.operations[operationId] ?? {};

function describeParameters(route: Route, reference: SchemaReference): Document[] {
  const { parameters: values = {} } = exampleOf(route);
  const example = (name: string) => name in values && { example: values[name] };
  const describe = (place: 'path' | 'query', parameters: Readonly<Record<string, TSchema>>) =>
    Object.entries(parameters).map(([name, schema]) => {
      const { description, ...described } = reference.describe(schema);
      const list = Type.IsArray(schema) ? { style: 'form', explode: false } : {};
      const required = place === 'path';
      return { name, in: place, required, description, ...list, schema: described, ...example(name) };
    });
  const header = (name: string, description: string) => describeHeader(name, description, false);
  const headers = [
    ...('since' in route.query
      ? [header('Last-Event-ID', 'Resume after this event. Takes precedence over cursor, since and from.')]
      : []),
    ...(route.method === 'POST' && !route.isRepeatable
      ? [
          header(
            'Idempotency-Key',
            'Repeated requests with the same key and body are carried out once. Must be 1 to 255 printable ASCII ' +
              'characters without spaces.',
          ),
        ]
      : []),
    ...(isRevalidated(route)
      ? [header('If-None-Match', 'The ETag of an earlier answer. If it is still current, the answer is 304.')]
      : []),
  ];
  return [...describe('path', route.parameters ?? {}), ...describe('query', route.query), ...headers];
}

/** One example of each kind of frame. */
const frameExamples = Object.fromEntries(
  examples.frames.map((frame) => [
    frame.event,
    { summary: `A frame of the kind ${frame.event}`, value: frame },
  ]),
);

/** Describes the bodies of successful answers. */
function describeContent(route: Route, reference: SchemaReference): Document {
  const { response, frame } = route;
  const { answer } = exampleOf(route);
  const content: Record<string, Document> = {};
  if (response)
    content[JSON_TYPE] = {
      schema: reference.describe(response),
      ...(answer !== undefined && { example: answer }),
    };
  if (frame) content['text/event-stream'] = { schema: reference.describe(frame), examples: frameExamples };
  return Object.keys(content).length === 0 ? {} : { content };
}

const DESCRIPTION_OF_SUCCESS = {
  200: 'Success.',
  201: 'Success: the record was created.',
  202: 'Success: what was sent is on its way.',
  204: 'Success, without a body.',
};

function describeSuccess(route: Route, reference: SchemaReference): Document {
  const { success = 200 } = route;
  const headers = describeHeaders(
    ...(isRevalidated(route) ? (['ETag'] as const) : []),
    ...(success === 201 || success === 202 ? (['Location'] as const) : []),
  );
  return { description: DESCRIPTION_OF_SUCCESS[success], headers, ...describeContent(route, reference) };
}

const describeNotModified = (): Document => ({
  description: 'The answer still has an ETag of If-None-Match.',
  headers: describeHeaders('ETag'),
});

function describeBody({ schema }: { schema: TSchema }, route: Route, reference: SchemaReference): Document {
  const { body: example } = exampleOf(route);
  return {
    required: true,
    content: {
      [JSON_TYPE]: { schema: reference.describe(schema), ...(example !== undefined && { example }) },
    },
  };
}

/** Describes the operation of a route. */
export function describeOperation(route: Route, reference: SchemaReference): Document {
  const scope = `Needs an API key with the scope \`${route.scope}\`.`;
  const { lines, frame } = route;
  const more = [...(frame ? [describeStream(examples.stream)] : []), ...(lines ? [ABOUT_LINES] : [])];
  const { lines: example } = exampleOf(route);
  return {
    operationId: route.operationId,
    summary: route.summary,
    description: [`${route.description} ${scope}`, ...more].join('\n\n'),
    tags: [route.tag],
    parameters: describeParameters(route, reference),
    ...(route.body && { requestBody: describeBody(route.body, route, reference) }),
    responses: {
      [String(route.success ?? 200)]: describeSuccess(route, reference),
      ...(isRevalidated(route) && { 304: describeNotModified() }),
      ...referToErrorAnswers(route),
    },
    ...(lines && { 'x-lines': describeLines(lines, route, { example, reference }) }),
  };
}
