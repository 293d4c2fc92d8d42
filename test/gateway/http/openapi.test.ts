import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { referToErrorAnswers } from '../../../gateway/http/openapi/error-answers.ts';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { ERROR_STATUS, type ErrorCode } from '../../../schemas/errors.ts';
import { createAjv } from '../../helpers/http/response-schema.ts';

interface Body {
  content?: Record<string, { schema: object }>;
}

interface Operation {
  tags: string[];
  summary: string;
  description: string;
  parameters: {
    name: string;
    in: string;
    required: boolean;
    description: string;
    schema: object;
    example?: unknown;
  }[];
  responses: Record<string, Body & { $ref?: string }>;
  requestBody?: Body;
  operationId: string;
}

const document = createOpenApi(routes) as unknown as {
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    schemas: Record<string, object>;
    responses: Record<string, Body>;
    headers: Record<string, { schema: object }>;
  };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

test.each(['every-operation.ts', 'every_operation.py'])(
  'the program %s, which runs only with the generators of clients, calls every operation',
  (name) => {
    const program = readFileSync(`test/compatibility/clients/${name}`, 'utf8');
    const isCalled = ({ operationId }: Operation) => new RegExp(`['"]${operationId}['"]`).test(program);
    expect(operations.filter((operation) => !isCalled(operation))).toEqual([]);
  },
);

describe('the OpenAPI description', () => {
  test.each(routes.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'has %s with its parameters and answers',
    (_, route) => {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()];
      const named = (place: string) =>
        operation?.parameters.filter((parameter) => parameter.in === place).map(({ name }) => name);
      expect(named('query')).toEqual(Object.keys(route.query));
      expect(named('path')).toEqual(Object.keys(route.parameters ?? {}));
      expect([...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(named('path'));
      expect(Object.keys(operation?.responses ?? {})).toEqual(
        expect.arrayContaining([String(route.success ?? 200), '400', '401', '403', '429', '500', '503']),
      );
    },
  );

  test('contains only valid JSON Schemas', () => {
    const ajv = createAjv();
    const { components } = document;
    const described = [
      ...Object.values(components.headers),
      ...[...operations.flatMap(bodiesOf), ...Object.values(components.responses)].flatMap(({ content }) =>
        Object.values(content ?? {}),
      ),
      ...operations.flatMap(({ parameters }) => parameters),
    ];
    const schemas = new Map(described.map(({ schema }) => [JSON.stringify(schema), schema]));
    for (const schema of schemas.values()) expect(() => ajv.compile({ ...schema, components })).not.toThrow();
  });

  test('names every object and every set of words, as a component', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        ...['Candidate', 'Choice', 'Contest', 'ContestWithoutChoices', 'Coverage', 'District', 'Election'],
        ...['ElectionSummary', 'Endorsement', 'Endorser', 'EndorserCategory', 'EndorserSummary', 'Error'],
        ...['ErrorResponse', 'ErrorResponse', 'Event', 'Filter', 'ListedEndorsement', 'Officeholder', 'Pick'],
        ...['Position', 'Recommendation', 'Seat', 'State', 'Subscription', 'EndorsementCreated'],
        ...['EndorsementUpdated', 'EndorsementDeleted'],
      ]),
    );
    const nameless = Object.entries(document.components.schemas).flatMap(([name, schema]) =>
      partsOf(schema)
        .filter((part) => part !== schema && 'type' in part && part.type === 'object')
        .map(() => name),
    );
    expect(nameless).toEqual([]);
  });

  test('refers only to components that it has, and to each of them', () => {
    const referred = new Set(
      [...JSON.stringify(document).matchAll(/"#\/components\/([^"]+)"/g)].map(([, pointer]) => pointer),
    );
    const { securitySchemes: _, ...components } = document.components as Record<string, object>;
    const present = Object.entries(components).flatMap(([kind, named]) =>
      Object.keys(named).map((name) => `${kind}/${name}`),
    );
    expect([...referred].sort()).toEqual(present.sort());
  });

  test('describes nullable values with a list of types, or with null next to a reference or a list', () => {
    const unions = partsOf(document).filter(
      (part): part is { anyOf: Record<string, unknown>[] } => 'anyOf' in part,
    );
    const nullable = unions.filter(({ anyOf }) => anyOf.some(({ type }) => type === 'null'));
    expect(nullable.length).toBeGreaterThan(0);
    for (const { anyOf } of nullable) {
      expect(anyOf).toHaveLength(2);
      expect(anyOf[0]).toEqual(anyOf[0]?.$ref ? anyOf[0] : expect.objectContaining({ type: 'array' }));
    }
    const { party } = (document.components.schemas.Choice as { properties: Record<string, object> })
      .properties;
    expect(party).toMatchObject({ type: ['string', 'null'] });
  });

  test('allows further fields in records, but only described fields in bodies', () => {
    const closed = Object.entries(document.components.schemas)
      .filter(([, schema]) => 'additionalProperties' in schema && schema.additionalProperties === false)
      .map(([name]) => name);
    expect(closed.sort()).toEqual([
      ...['Filter', 'NewWebhookBody', 'PickSubmission', 'PositionSubmission', 'SubmissionsBody'],
      ...['SubmittedPick', 'SubscriptionBody', 'WebhookBody', 'WebhookResumeBody'],
    ]);
  });

  test('gives every operation a unique id that reads as a method, a tag, and texts', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names)
      expect(name).toMatch(/^(list|get|create|replace|delete|stream|rotate|test|resume)([A-Z][a-z]+)+$/);
    const tags = document.tags.map(({ name }) => name);
    for (const { tags: used, summary, description } of operations) {
      expect(tags).toEqual(expect.arrayContaining(used));
      expect(used).toHaveLength(1);
      expect(summary).toMatch(/^[A-Z][^.]{5,50}$/);
      expect(description).toMatch(/^[A-Z].*\.(\n|$)/);
    }
    expect(new Set(operations.flatMap(({ tags: used }) => used))).toEqual(new Set(tags));
  });

  test('has an example of three records for every list that comes in pages', () => {
    const limits = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ name }) => name === 'limit').map((limit) => [operationId, limit.example]),
    );
    expect(limits.length).toBeGreaterThan(5);
    for (const [operationId, example] of limits) expect([operationId, example]).toEqual([operationId, 3]);
  });

  test('describes every parameter, and every field whose name alone does not', () => {
    for (const { parameters } of operations)
      for (const { description } of parameters) expect(description).toMatch(/\.$/);
    for (const [name, schema] of Object.entries(document.components.schemas))
      expect([name, (schema as { description?: string }).description]).toEqual([
        name,
        expect.stringMatching(/\.$/),
      ]);
  });
});

describe('the errors of the description', () => {
  const answers = Object.values(document.components.responses).map(({ content = {} }) => {
    const schema = content['application/json']?.schema as NarrowedError;
    return schema.properties.error.properties.code.enum;
  });

  test('are all errors except the one for a method that the path does not take', () => {
    const codes = Object.keys(ERROR_STATUS).filter((code) => code !== 'method_not_allowed');
    expect([...new Set(answers.flat())].sort()).toEqual(codes.sort());
  });

  test('have the status of their codes', () => {
    for (const { responses } of operations) {
      for (const [status, { $ref }] of Object.entries(responses)) {
        if ($ref === undefined) continue;
        const index = Object.keys(document.components.responses).indexOf($ref.split('/').at(-1) ?? '');
        expect(answers[index]?.map((code) => ERROR_STATUS[code])).toEqual(
          answers[index]?.map(() => Number(status)),
        );
      }
    }
  });

  test('need a name for the codes of an operation', () => {
    expect(() => referToErrorAnswers({ errors: ['not_found', 'subscription_not_found'] })).toThrow(
      'No answer of status 404 is named for not_found, subscription_not_found.',
    );
  });
});

interface NarrowedError {
  properties: { error: { properties: { code: { enum: ErrorCode[] } } } };
}

/** The bodies of the request and of the answers of an operation. */
const bodiesOf = ({ responses, requestBody }: Operation) => [
  ...Object.values(responses),
  ...(requestBody ? [requestBody] : []),
];

/** All objects within a part of a document. */
function partsOf(part: unknown): object[] {
  if (typeof part !== 'object' || part === null) return [];
  return [part, ...Object.values(part).flatMap(partsOf)];
}
