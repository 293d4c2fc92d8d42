import { isDeepStrictEqual } from 'node:util';
import { type TProperties, type TSchema, Type } from 'typebox';
import { oneOf, record } from '../../schemas/http/fields.ts';
import { errorBody } from '../../schemas/http/records.ts';
import type { Route } from './route.ts';

/*
 * The OpenAPI 3.1 description of the service. It is generated from the declarations of the routes, which also validate
 * requests, so that it cannot differ from the service.
 */

/** A document, or a part of one. */
type Document = Readonly<Record<string, unknown>>;

const EVENT_STREAM = 'text/event-stream';
const JSON_TYPE = 'application/json';

/** One event of a stream. */
const serverSentEvent = record('ServerSentEvent', {
  event: oneOf(['ready', 'endorsement', 'checkpoint', 'reconnect', 'error']),
  id: Type.String({ description: 'A cursor: the position after this event.' }),
  data: Type.String({ description: 'JSON, in one line.' }),
});

const ERROR_STATUSES: Readonly<Record<string, string>> = {
  400: 'A parameter, the path or the body is invalid.',
  401: 'The API key is missing or cannot be used.',
  403: 'The API key may not do this.',
  404: 'There is no such record.',
  409: 'The request conflicts with an existing record, or reuses an Idempotency-Key.',
  410: 'The cursor is older than retention. Catch up through /v1/endorsements, then continue from its stream_cursor.',
  413: 'The body is too large.',
  429: 'Too many requests or open streams. Retry-After says when to try again.',
  500: 'The service has a defect.',
  503: 'The service cannot answer now. Retry-After says when to try again.',
};

/** The keywords of a schema that the description changes. */
interface Keywords extends TSchema {
  $id?: string;
  title?: string;
  description?: string;
  items?: TSchema;
  properties?: TProperties;
  anyOf?: TSchema[];
}

/** Describes schemas and collects their records: a schema with a name becomes a component and is used by `$ref`. */
class SchemaReference {
  readonly components: Record<string, Document> = {};

  describe(schema: TSchema): Document {
    const { $id: name } = schema as Keywords;
    if (name === undefined) return this.#describeKeywords(schema);
    const component = this.#describeKeywords(schema);
    this.components[name] ??= component;
    if (!isDeepStrictEqual(this.components[name], component))
      throw new Error(`Two records are named ${name}.`);
    return { $ref: `#/components/schemas/${name}` };
  }

  /** A title completes "must be …" in messages, and joins the description here. */
  #describeKeywords(schema: Keywords): Document {
    const { $id: _, title, description, items, properties, anyOf, ...rest } = schema;
    const mustBe = title === undefined ? undefined : `Must be ${title}.`;
    const text = [description, mustBe].filter((sentence) => sentence !== undefined).join(' ');
    return {
      ...rest,
      ...(text !== '' && { description: text }),
      ...(items && { items: this.describe(items) }),
      ...(anyOf && { anyOf: anyOf.map((each) => this.describe(each)) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, property]) => [field, this.describe(property)]),
        ),
      }),
    };
  }
}

/** Whether answers have an ETag, with which clients can ask whether they are still current. */
const isRevalidated = ({ method, response, once }: Route): boolean =>
  method === 'GET' && response !== null && !once;

function describeParameters(route: Route, reference: SchemaReference): Document[] {
  const query = Object.entries(route.query).map(([name, schema]) => {
    const { description, ...described } = reference.describe(schema);
    const list = Type.IsArray(schema) ? { style: 'form', explode: false } : {};
    return { name, in: 'query', required: false, description, ...list, schema: described };
  });
  const path = Object.entries(route.parameters ?? {}).map(([name, schema]) => {
    const { description, ...described } = reference.describe(schema);
    return { name, in: 'path', required: true, description, schema: described };
  });
  const header = (name: string, description: string) => ({
    name,
    in: 'header',
    required: false,
    description,
    schema: { type: 'string' },
  });
  const headers = [
    ...('since' in route.query
      ? [header('Last-Event-ID', 'Resume after this event. Takes precedence over cursor, since and from.')]
      : []),
    ...(route.method === 'POST'
      ? [header('Idempotency-Key', 'Repeated requests with the same key are carried out once.')]
      : []),
  ];
  const revalidation = isRevalidated(route)
    ? [header('If-None-Match', 'The ETag of an earlier answer. If it is still current, the answer is 304.')]
    : [];
  return [...path, ...query, ...headers, ...revalidation];
}

function statusesOf(route: Route): string[] {
  const statuses = ['400', '401', '403', '429', '500', '503'];
  if (route.parameters || 'subscription' in route.query) statuses.push('404');
  if (route.body) statuses.push('409', '413');
  if ('from' in route.query && 'since' in route.query) statuses.push('410');
  return statuses.sort();
}

function describeSuccess(route: Route, reference: SchemaReference): Document {
  if (route.success === 204) return { description: 'Success, without a body.' };
  if (route.response === null) {
    return {
      description: 'Server-Sent Events, each as in the schema. Lines that begin with a colon are heartbeats.',
      content: { [EVENT_STREAM]: { schema: reference.describe(serverSentEvent) } },
    };
  }
  return {
    description: 'Success.',
    content: { [JSON_TYPE]: { schema: reference.describe(route.response) } },
  };
}

const NOT_MODIFIED: Document = { description: 'The answer still has an ETag of If-None-Match.' };

function describeOperation(route: Route, reference: SchemaReference): Document {
  const errors = statusesOf(route).map((status) => [
    status,
    {
      description: ERROR_STATUSES[status],
      content: { [JSON_TYPE]: { schema: reference.describe(errorBody) } },
    },
  ]);
  return {
    operationId: `${route.method.toLowerCase()}${route.path.replaceAll(/[^a-z0-9]+/gi, '_')}`.replace(
      /_$/,
      '',
    ),
    summary: route.summary,
    description: `Needs an API key with the scope ${route.scope}.`,
    tags: [route.path.split('/')[2]],
    parameters: describeParameters(route, reference),
    ...(route.body && {
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: reference.describe(route.body.schema) } },
      },
    }),
    responses: {
      [String(route.success ?? 200)]: describeSuccess(route, reference),
      ...(isRevalidated(route) && { 304: NOT_MODIFIED }),
      ...Object.fromEntries(errors),
    },
  };
}

const DESCRIPTION = [
  'U.S. ballot data: elections, contests and choices, endorsers and their endorsements, and a stream of every change ' +
    'of an endorsement that loses nothing.',
  'A list cursor belongs to its list, filters and lang; only limit may change from page to page. Ids are integers up ' +
    'to 2^53. Paths are case-sensitive, and none ends in a slash.',
  'Every answer to a known API key says what is left of the limits of its plan: RateLimit-Limit, RateLimit-Remaining ' +
    'and RateLimit-Reset (seconds) for the minute, X-Daily-Limit and X-Daily-Remaining for the UTC day, and ' +
    'RateLimit-Policy and RateLimit for both. A key that was revoked, has expired or belongs to a suspended account is ' +
    'known too, and refusing it costs nothing of the limits. A limit that the plan does not have has no header: ' +
    'answers to a plan without limits have none of these.',
].join('\n\n');

/** The description of these routes, as a document of OpenAPI 3.1. */
export function createOpenApi(routes: readonly Route[]): Document {
  const reference = new SchemaReference();
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of routes) {
    paths[route.path] = {
      ...paths[route.path],
      [route.method.toLowerCase()]: describeOperation(route, reference),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ballot Endorsement Data Service',
      version: '1.0.0',
      description: DESCRIPTION,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: bes_…' } },
      schemas: reference.components,
    },
  };
}
