import { Ajv2020 } from 'ajv/dist/2020.js';
import type { Context } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import type { TSchema } from 'typebox';
import type { ErrorCode } from '../../schemas/errors.ts';
import { problemOfError } from '../../schemas/problems.ts';
import { ApiError } from './api-error.ts';

/**
 * Room for the largest body that means anything, a filter with 500 values of 200 characters in every field; and little enough that parsing the
 * worst of that size keeps nobody else waiting for 50 ms.
 */
const MAX_BODY = '384kb';

const JSON_TYPES = ['application/json', '+json'];

const ajv = new Ajv2020({ verbose: true, allowUnionTypes: true });
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads bytes, a character each: whether they are UTF-8 is to be seen, and Node's own decoding does not say. */
const BYTES = 'latin1';

const readText = koaBody({
  text: true,
  textTypes: JSON_TYPES,
  textLimit: MAX_BODY,
  encoding: BYTES,
  json: false,
  urlencoded: false,
  multipart: false,
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT],
  onError(error) {
    throw error;
  },
});

function refusalOf(error: unknown): ApiError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new ApiError('body_too_large', 'The body must be at most 384 KB.');
  return createJsonError();
}

function createJsonError(): ApiError {
  return new ApiError('invalid_json', 'The body is not a JSON object in UTF-8.');
}

function parseJson(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // Refused like what is JSON and no object.
  }
  throw createJsonError();
}

/**
 * Reads the JSON body of a request.
 *
 * @throws ApiError invalid_json for what is no JSON object, body_too_large beyond 384 KB.
 */
export async function readJsonBody(ctx: Context): Promise<unknown> {
  if (ctx.request.length === 0 || !ctx.is(JSON_TYPES)) {
    throw new ApiError(
      'invalid_json',
      'Send a JSON object as the body, with "Content-Type: application/json".',
    );
  }
  await readText(ctx, async () => {}).catch((error: unknown) => {
    throw refusalOf(error);
  });
  return parseJson(Buffer.from(String(ctx.request.body), BYTES));
}

/** Compiles the check of a body. The check gives the body, or throws an ApiError of the refusal's code. */
export function compileBody(schema: TSchema, refusal: ErrorCode): (body: unknown) => unknown {
  const validate = ajv.compile(schema);
  return (body) => {
    if (validate(body)) return body;
    const [problem] = (validate.errors ?? []).map(problemOfError);
    const code = /^filter(?=[.[]|$)/.test(problem?.field ?? '') ? 'invalid_filter' : refusal;
    throw new ApiError(code, `${problem?.field ?? 'The body'} ${problem?.message}.`);
  };
}
