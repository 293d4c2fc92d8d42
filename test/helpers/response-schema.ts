import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createOpenApi } from '../../gateway/http/openapi.ts';
import { routes } from '../../gateway/routes/index.ts';

interface OpenApi {
  paths: Record<
    string,
    { get?: { responses: Record<string, { content?: Record<string, { schema: object }> }> } }
  >;
  components: object;
}

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
addFormats.default(ajv, ['date', 'date-time']);
ajv.addVocabulary(['components']);

/** The check of the JSON that a GET of each path answers, as /openapi.json describes it. */
const { paths, components } = createOpenApi(routes) as unknown as OpenApi;
const checks = new Map(
  Object.entries(paths).flatMap(([path, { get }]) => {
    const schema = get?.responses['200']?.content?.['application/json']?.schema;
    return schema ? [[path, ajv.compile({ ...schema, components })] as const] : [];
  }),
);

/** Expects the body of a 200 to match the schema that its route declares. */
export function expectSchema(path: string, body: unknown): void {
  const check = checks.get(path);
  if (!check) throw new Error(`No GET ${path} answers with JSON.`);
  if (!check(body)) throw new Error(`${path}: ${ajv.errorsText(check.errors)}`);
}
