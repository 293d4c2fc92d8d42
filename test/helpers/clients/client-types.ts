import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { routes } from '../../../gateway/routes/index.ts';
import { createFolder } from '../folder.ts';
import { installNpmPackages } from './npm-packages.ts';

const run = promisify(execFile);

/** The generated types of the TypeScript client. */
export const CLIENT_TYPES = 'clients/typescript/src/generated/openapi.ts';

/** The generator needs a TypeScript with a programming interface, which newer versions lack. */
const GENERATOR = ['openapi-typescript@7.13.0', 'typescript@5.9.3'];

const JSON_TYPE = 'application/json';

interface Body {
  content?: Record<string, { schema: object }>;
}

interface Operation {
  parameters: { in: string }[];
  requestBody?: Body;
  responses: Record<string, Body>;
}

interface Description {
  openapi: string;
  info: object;
  paths: Record<string, Record<string, Operation>>;
  webhooks: object;
  components: { schemas: Record<string, object> };
}

/** The JSON of a body, without its examples. */
function describeJson({ content = {} }: Body) {
  const json = content[JSON_TYPE];
  return json ? { content: { [JSON_TYPE]: { schema: json.schema } } } : {};
}

/** The parameters of the query, and the JSON of the body and of successful answers. */
function describeOperation({ parameters, requestBody, responses }: Operation) {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  return {
    parameters: parameters.filter((parameter) => parameter.in === 'query'),
    ...(requestBody && { requestBody: { required: true, ...describeJson(requestBody) } }),
    responses: Object.fromEntries(
      successes.map(([status, answer]) => [status, { description: '', ...describeJson(answer) }]),
    ),
  };
}

/** The names of the schemas that a part of the description refers to, directly or through other schemas. */
function namesIn(part: object, schemas: Record<string, object>, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(schemas[name] ?? {}, schemas, found);
  }
  return found;
}

/** The parts of the description of which the client takes types. */
function describeForTypes() {
  const description: Description = JSON.parse(JSON.stringify(createOpenApi(routes)));
  const { openapi, info, webhooks } = description;
  const paths = Object.fromEntries(
    Object.entries(description.paths).map(([name, operations]) => [
      name,
      Object.fromEntries(
        Object.entries(operations).map(([method, operation]) => [method, describeOperation(operation)]),
      ),
    ]),
  );
  const { schemas } = description.components;
  const used = namesIn({ paths, webhooks }, schemas);
  const kept = Object.entries(schemas).filter(([name]) => used.has(name));
  return { openapi, info, paths, components: { schemas: Object.fromEntries(kept) } };
}

/** The lines for what a path or an operation lacks. The client's types only ask whether it has a query. */
const ABSENT = /^ +(?!query)\w+\?: never;\n/gm;

/** The types of the service's parameters and answers; null if the generator is not available. */
export async function generateClientTypes(): Promise<string | null> {
  const modules = await installNpmPackages(...GENERATOR);
  if (modules === null) return null;
  const { file, remove } = await createFolder({ 'openapi.json': JSON.stringify(describeForTypes()) });
  try {
    const types = file('openapi.ts');
    const program = path.join(modules, 'openapi-typescript', 'bin', 'cli.js');
    await run(process.execPath, [program, file('openapi.json'), '--output', types, '--alphabetize']);
    return (await readFile(types, 'utf8')).replaceAll(ABSENT, '');
  } finally {
    await remove();
  }
}
