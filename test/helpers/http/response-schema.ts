import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { createOpenApi } from '../../../gateway/http/openapi.ts';
import { LINES_TYPE } from '../../../gateway/http/route.ts';
import { routes } from '../../../gateway/routes/index.ts';

interface Reference {
  $ref: string;
}

interface DescribedHeader {
  required?: boolean;
  schema: object;
}

interface DescribedResponse {
  headers?: Record<string, Reference>;
  content?: Record<string, { schema: object }>;
}

interface DescribedOperation {
  responses: Record<string, DescribedResponse | Reference>;
  'x-lines'?: { response: DescribedResponse };
}

interface DescribedMessage {
  post: { requestBody: { content: { 'application/json': { schema: object } } } };
}

interface OpenApi {
  paths: Record<string, Record<string, DescribedOperation>>;
  webhooks: Record<string, DescribedMessage>;
  components: {
    responses: Record<string, DescribedResponse>;
    headers: Record<string, DescribedHeader>;
  };
}

/** An answer to a request, without its body. */
export interface AnswerHead {
  method: string;
  /** The path without a query. */
  path: string;
  status: number;
  headers: ReadonlyMap<string, string>;
}

/** An Ajv that knows the keywords and formats of the OpenAPI description. */
export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true });
  addFormats.default(ajv, ['date', 'date-time', 'int64', 'uri']);
  ajv.addVocabulary(['components', 'discriminator']);
  return ajv;
}

/**
 * A copy of a schema that forbids undescribed fields. The description itself lets clients expect more fields, which
 * later versions may add; an answer of this version has none.
 */
function closeObjects<Part>(part: Part): Part {
  if (typeof part !== 'object' || part === null) return part;
  if (Array.isArray(part)) return part.map(closeObjects) as Part;
  const closed = Object.fromEntries(
    Object.entries(part).map(([key, value]) => [key, closeObjects(value)]),
  ) as Part & object;
  const isOpenObject = 'type' in part && part.type === 'object' && !('additionalProperties' in part);
  return isOpenObject ? { ...closed, additionalProperties: false } : closed;
}

const ajv = createAjv();
const { paths, webhooks, components } = closeObjects(createOpenApi(routes)) as unknown as OpenApi;
const checks = new Map<object, ValidateFunction>();

/** Compiles a schema of the description once. */
function checkOf(schema: object): ValidateFunction {
  const check = checks.get(schema) ?? ajv.compile({ ...schema, components });
  checks.set(schema, check);
  return check;
}

const nameIn = ({ $ref }: Reference) => $ref.slice($ref.lastIndexOf('/') + 1);

const templates = Object.keys(paths).map((template) => ({
  template,
  matches: new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
}));

function describedAnswer({ method, path, status, headers }: AnswerHead): DescribedResponse | string | null {
  const template = templates.find(({ matches }) => matches.test(path))?.template;
  const operation = template && paths[template]?.[(method === 'HEAD' ? 'GET' : method).toLowerCase()];
  if (!template || !operation) return null;
  if (headers.get('content-type') === LINES_TYPE) return operation['x-lines']?.response ?? null;
  const described = operation.responses[status];
  if (!described) return `${method} ${template} answers ${status}, which is not described`;
  return '$ref' in described ? (components.responses[nameIn(described)] as DescribedResponse) : described;
}

/** All headers that the description names. Others, such as Date, belong to HTTP itself. */
const knownHeaders = Object.keys(components.headers);

function findHeaderFault(
  { headers: described = {} }: DescribedResponse,
  { headers }: AnswerHead,
): string | null {
  for (const name of knownHeaders) {
    const value = headers.get(name.toLowerCase());
    if (!described[name]) {
      if (value !== undefined) return `has the header ${name}, which is not described`;
      continue;
    }
    const { required, schema } = components.headers[name] as DescribedHeader;
    if (value === undefined) {
      if (required) return `lacks the header ${name}`;
      continue;
    }
    const typed = 'type' in schema && schema.type === 'integer' ? Number(value) : value;
    if (!checkOf(schema)(typed)) return `has the header ${name}: ${value}`;
  }
  return null;
}

function findBodyFault(
  { content }: DescribedResponse,
  { headers }: AnswerHead,
  body: string | null,
): string | null {
  const type = headers.get('content-type')?.split(';')[0];
  if (type === undefined) return null;
  const schema = content?.[type]?.schema;
  if (!schema) return `has the content type ${type}, which is not described`;
  if (body === null || type === 'text/event-stream') return null;
  const check = checkOf(schema);
  const values = type === LINES_TYPE ? body.trimEnd().split('\n') : [body];
  return values.every((value) => check(JSON.parse(value)))
    ? null
    : `has a body that ${ajv.errorsText(check.errors)}`;
}

/**
 * Finds a difference between an answer and its description in /openapi.json.
 *
 * @param body the JSON, or null to skip it
 * @returns a sentence; null if there is no difference, or the path is not described
 */
export function findUndescribed(head: AnswerHead, body: string | null): string | null {
  const described = describedAnswer(head);
  if (described === null || typeof described === 'string') return described;
  const fault = findHeaderFault(described, head) ?? findBodyFault(described, head, body);
  return fault && `${head.method} ${head.path} with ${head.status} ${fault}`;
}

/** Expects the body of a 200 to match its route's schema. */
export function expectSchema(path: string, body: unknown): void {
  const described = describedAnswer({ method: 'GET', path, status: 200, headers: new Map() });
  if (described === null || typeof described === 'string') throw new Error(`No GET ${path} is described.`);
  const headers = new Map([['content-type', 'application/json']]);
  const head = { method: 'GET', path, status: 200, headers };
  const fault = findBodyFault(described, head, JSON.stringify(body));
  if (fault) throw new Error(`${path} ${fault}`);
}

/** Expects a message to a webhook to match the description of its type. */
export function expectMessage(message: { type: string }): void {
  const { type } = message;
  const described = webhooks[type];
  if (!described) throw new Error(`Messages of the type ${type} are not described.`);
  const check = checkOf(described.post.requestBody.content['application/json'].schema);
  if (!check(message)) throw new Error(`The message ${type} ${ajv.errorsText(check.errors)}`);
}
