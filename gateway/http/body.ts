import { setImmediate } from 'node:timers/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Context, Middleware } from 'koa';
import { HttpMethodEnum, koaBody } from 'koa-body';
import type { TSchema } from 'typebox';
import { findChangedNumber } from '../../schemas/catalogue/changed-numbers.ts';
import type { ErrorCode } from '../../schemas/errors.ts';
import { problemOfError, shorten, showValue } from '../../schemas/problems.ts';
import { ApiError } from './api-error.ts';

/**
 * Enough for the largest useful body: a filter with 500 values of 200 characters in every field. Parsing the
 * worst body of this size delays other requests by less than 50 ms. In bytes.
 */
const MAX_BYTES = 384 * 1024;

/** Smaller bodies that are not compressed are not counted, and take no turn, in bytes. */
const SMALL_BYTES = 16 * 1024;

/** Does work when its turn comes. */
export type InTurn = <T>(work: () => Promise<T>) => Promise<T>;

const JSON_TYPES = ['application/json', '+json'];

const ajv = new Ajv2020({ verbose: true, allowUnionTypes: true });
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads the body as text with one character for each byte, because koa-body cannot reject invalid UTF-8: its
 * JSON parser decodes such bytes to U+FFFD. It also drops a byte order mark and reads an empty body as `{}`.
 */
const BYTES = 'latin1';

const readText = koaBody({
  text: true,
  textTypes: JSON_TYPES,
  textLimit: String(MAX_BYTES),
  encoding: BYTES,
  json: false,
  urlencoded: false,
  multipart: false,
  parsedMethods: [HttpMethodEnum.POST, HttpMethodEnum.PUT],
  onError(error, ctx) {
    throw refusalOf(error, ctx.get('Content-Encoding'));
  },
});

function refusalOf(error: unknown, coding: string): ApiError {
  const status = error instanceof Error && 'status' in error ? error.status : undefined;
  if (status === 413) return new ApiError('body_too_large', 'The body must be at most 384 KB.');
  if (coding === '' || coding === 'identity') return createJsonError();
  return new ApiError(
    'invalid_json',
    `The body cannot be decompressed as ${showValue(coding)}; send it as gzip, deflate or br, or without Content-Encoding.`,
  );
}

function createJsonError(): ApiError {
  return new ApiError('invalid_json', 'The body is not a JSON object in UTF-8.');
}

function parseJson(bytes: Buffer): unknown {
  let text: string;
  let value: unknown;
  try {
    text = utf8.decode(bytes);
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw createJsonError();
    // The parser quotes a few characters around the fault, and can cut one in half.
    throw new ApiError('invalid_json', `The body is not JSON: ${error.message.toWellFormed()}.`);
  }
  if (typeof value !== 'object' || value === null) throw createJsonError();
  // Files refuse such numbers too: what is kept as it was sent, as `details` are, would change unnoticed.
  const changed = findChangedNumber(text);
  if (changed === null) return value;
  throw new ApiError(
    'invalid_json',
    `The body has a number that cannot be kept exactly, ${shorten(changed)}; to keep it, write it as text.`,
  );
}

/** Counts a body while it is received (INV-15): a compressed one can fill its bound with the first bytes. */
function reserve(ctx: Context): () => void {
  const isSmall = ctx.get('Content-Encoding') === '' && (ctx.request.length ?? Infinity) <= SMALL_BYTES;
  return isSmall ? () => {} : ctx.state.reserveBody(MAX_BYTES);
}

/**
 * Reads a body with koa-body, which waits for ever for the rest of a compressed body whose client has left.
 *
 * @throws ApiError invalid_json if the connection ends before the body; too_many_requests_in_flight or server_busy if
 *   too many are being received
 */
export async function readWhole(ctx: Context, read: Middleware): Promise<void> {
  const release = reserve(ctx);
  const { req } = ctx;
  const { promise: lost, reject } = Promise.withResolvers<never>();
  const lose = () => {
    if (!req.complete) reject(new ApiError('invalid_json', 'The connection has ended within the body.'));
  };
  if (req.destroyed) lose();
  else req.once('close', lose);
  await Promise.race([read(ctx, async () => {}), lost]).finally(release);
}

/**
 * Reads the JSON body of a request. A large one is parsed, and then checked by the caller, in a turn of the event loop of
 * its own: many at once would delay others by their sum (INV-15).
 *
 * @throws ApiError invalid_json if the body is not a JSON object, or has a number that would change; body_too_large if
 *   it exceeds 384 KB; the error of a new request if the key has become unusable meanwhile.
 */
export async function readJsonBody(ctx: Context, inTurn: InTurn): Promise<unknown> {
  if (ctx.request.length === 0 || !ctx.is(JSON_TYPES)) {
    throw new ApiError(
      'invalid_json',
      'Send a JSON object as the body, with "Content-Type: application/json".',
    );
  }
  // koa-body compares the coding exactly, although its case does not matter (RFC 9110, 8.4.1).
  const coding = ctx.get('Content-Encoding');
  if (coding !== '') ctx.req.headers['content-encoding'] = coding.toLowerCase();
  let value: unknown;
  await readWhole(ctx, async (_, next) => {
    await readText(ctx, next);
    // A slow client could use a revoked key for as long as it sends its body.
    await ctx.state.confirmKey?.();
    const text = String(ctx.request.body);
    const parse = () => parseJson(Buffer.from(text, BYTES));
    value = text.length <= SMALL_BYTES ? parse() : await inTurn(() => setImmediate().then(parse));
  });
  return value;
}

/**
 * Compiles the check of a body, at its first use. The check returns the body or throws an ApiError with the code
 * `refusal`.
 */
export function compileBody(schema: TSchema, refusal: ErrorCode): (body: unknown) => unknown {
  let validate: ValidateFunction | undefined;
  return (body) => {
    validate ??= ajv.compile(schema);
    if (validate(body)) return body;
    const errors = validate.errors ?? [];
    // A value that fits no form of a union has an error for each form before that of the union.
    const error =
      errors.find(({ keyword, parentSchema }) => keyword === 'anyOf' && parentSchema?.title) ?? errors[0];
    const problem = error && problemOfError(error);
    const code = /^filter(?=[.[]|$)/.test(problem?.field ?? '') ? 'invalid_filter' : refusal;
    throw new ApiError(code, `${problem?.field ?? 'The body'} ${problem?.message}.`);
  };
}
