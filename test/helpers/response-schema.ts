import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { routes } from '../../gateway/routes/index.ts';

const ajv = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true });
addFormats.default(ajv, ['date', 'date-time']);
const checks = new Map(
  routes.flatMap(({ path, response }) => (response ? [[path, ajv.compile(response)] as const] : [])),
);

/** Holds the body of a 200 to the schema that its route declares. */
export function expectSchema(path: string, body: unknown): void {
  const check = checks.get(path);
  if (!check) throw new Error(`No route ${path} answers with JSON.`);
  if (!check(body)) throw new Error(`${path}: ${ajv.errorsText(check.errors)}`);
}
