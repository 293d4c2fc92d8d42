import { describe, expect, test } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';

interface Operation {
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
  requestBody?: { content: Record<string, { schema: object }> };
  operationId: string;
}

const document = createOpenApi(routes) as {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
};
const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));

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
    const ajv = new Ajv2020({ allowUnionTypes: true, strict: true, strictTypes: false });
    addFormats.default(ajv);
    ajv.addVocabulary(['components']);
    const { components } = document;
    for (const { parameters, responses, requestBody } of operations) {
      const contents = [...Object.values(responses), ...(requestBody ? [requestBody] : [])].flatMap(
        ({ content }) => Object.values(content ?? {}),
      );
      for (const { schema } of [...parameters, ...contents]) {
        expect(() => ajv.compile({ ...schema, components })).not.toThrow();
      }
    }
  });

  test('names every record once, as a component', () => {
    expect(Object.keys(document.components.schemas)).toEqual(
      expect.arrayContaining([
        ...[
          'Choice',
          'Contest',
          'Coverage',
          'District',
          'Election',
          'Endorsement',
          'Endorser',
          'Error',
          'Event',
        ],
        ...['Officeholder', 'Position', 'Recommendation', 'Seat', 'State', 'Subscription'],
      ]),
    );
    expect(JSON.stringify(document)).not.toContain('"$id"');
  });

  test('gives every operation a unique id', () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['get_v1_states', 'delete_v1_subscriptions_id']));
  });
});
