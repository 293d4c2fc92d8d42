import { describeErrorAnswers } from './openapi/error-answers.ts';
import { headerComponents } from './openapi/headers.ts';
import { describeOperation } from './openapi/operations.ts';
import { type Document, SchemaReference } from './openapi/schemas.ts';
import { TAGS } from './openapi/tags.ts';
import { describeWebhooks } from './openapi/webhooks.ts';
import type { Route } from './route.ts';

/*
 * The OpenAPI 3.1 description of the service. The declarations of the routes generate it and also validate requests, so
 * the description cannot differ from the service.
 */

const DESCRIPTION = `
U.S. ballot data: elections, contests and choices, endorsers and their endorsements, and a stream of every change of an
endorsement that loses nothing.

## Keys

Everything below \`/v1\` needs an API key in the header \`Authorization: Bearer <API_KEY>\`, from a program: there are no
CORS headers, because a key is a secret of a server. A key has scopes; each operation names the one that it needs.

## Requests

A list of values is comma-separated and matches any of them; different parameters must all match. Unknown and repeated
parameters are refused; the message suggests the most likely name. Ids are integers up to 2^53. Paths are case-sensitive
and never end in a slash. HEAD works for every GET, without the body; other methods get 405 \`method_not_allowed\` with
the header \`Allow\`.

## Lists

A list comes in pages: send \`next_cursor\` as \`cursor\` until it is null. A cursor belongs to its list, filters and
\`lang\`; only \`limit\` may change from page to page. Records that are added or removed meanwhile do not move others, so
no page repeats or skips a record.

## Limits

Every answer to a known API key has the state of its plan's limits: \`RateLimit-Limit\`, \`RateLimit-Remaining\` and
\`RateLimit-Reset\` (seconds) for the minute, \`X-Daily-Limit\` and \`X-Daily-Remaining\` for the UTC day, and
\`RateLimit-Policy\` and \`RateLimit\` for both. Revoked and expired keys and keys of suspended accounts are known too;
refusing them does not count against the limits. A limit that the plan does not have has no header.

## Errors

Every answer of status 400 and above has the same body, with a code for programs and a message for people. Repeat a
request after \`Retry-After\` if the status is 429 or 503. Do not repeat it after another status from 400 to 499.

## Changes of this interface

Records can get new fields at any time, so clients ignore fields that they do not know. Sets of words (\`enum\`), types and
everything else do not change within \`/v1\`.
`.trim();

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
  const responses = describeErrorAnswers(reference);
  const webhooks = describeWebhooks(reference);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Ballot Endorsement Data Service',
      version: '1.0.0',
      summary: 'U.S. ballot data, with a stream of endorsement changes that loses nothing.',
      description: DESCRIPTION,
      contact: { name: 'The operator of the service, from whom you have your API key' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/', description: 'The gateway that serves this description.' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: 'An API key: bes_…' } },
      schemas: reference.components,
      responses,
      headers: headerComponents,
    },
  };
}
