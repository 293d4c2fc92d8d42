import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { findNearest } from '../../domain/nearest-names.ts';
import { joinField, problemOfError, showValue } from '../../schemas/problems.ts';
import { ApiError } from './api-error.ts';
import { decodePercent } from './percent-encoding.ts';
import { findRetiredParameter } from './retired.ts';

/** The values of the parameters that a route accepts. */
export type Parameters<Schemas extends TProperties> = Static<TObject<Schemas>>;

const ajv = new Ajv2020({ verbose: true, useDefaults: true, allowUnionTypes: true });
addFormats.default(ajv, ['date', 'date-time', 'int64']);

function refuse(message: string): ApiError {
  return new ApiError('invalid_parameter', message);
}

function decodeText(text: string): string {
  const decoded = decodePercent(text.replaceAll('+', ' '));
  if (decoded === undefined)
    throw refuse(`The query has ${showValue(text)}, which is not percent-encoded UTF-8.`);
  if (decoded.includes('\0')) throw refuse('The query has %00; no parameter takes a NUL character.');
  return decoded;
}

function refuseUnknown(name: string, names: string[]): ApiError {
  const retired = findRetiredParameter(name);
  if (retired !== undefined) return refuse(retired);
  const [intended] = findNearest(name, names, 1);
  const hint = intended === undefined ? '' : ` Did you mean ${intended}?`;
  const known = names.length === 0 ? 'This endpoint takes none.' : `Accepted are: ${names.join(', ')}.`;
  return refuse(`There is no parameter ${showValue(name)} here.${hint} ${known}`);
}

function parseValue(name: string, text: string, schema: TSchema & { title?: string }): unknown {
  const refuseText = () => refuse(`${name} must be ${schema.title}, is ${showValue(text)}.`);
  if (Type.IsArray(schema)) {
    const items = text.split(',');
    if (items.includes('')) throw refuse(`${name} has an empty item: ${showValue(text)}.`);
    return items.map((item, index) => parseValue(joinField(name, index), item, schema.items));
  }
  if (Type.IsInteger(schema)) {
    const value = Number(text);
    // A number with more digits than its precision would become another number.
    if (!/^[0-9]+$/.test(text) || String(value) !== text) throw refuseText();
    return value;
  }
  if (Type.IsBoolean(schema)) {
    if (text !== 'true' && text !== 'false') throw refuseText();
    return text === 'true';
  }
  if (text === '' && (schema as { minLength?: number }).minLength !== 0) throw refuseText();
  return text;
}

/** The raw values of a query string by name. Refuses unknown and repeated parameters. */
function splitQuery(query: string, schemas: TProperties): Map<string, string> {
  const names = Object.keys(schemas);
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decodeText(equals === -1 ? pair : pair.slice(0, equals));
    const value = decodeText(equals === -1 ? '' : pair.slice(equals + 1));
    if (!Object.hasOwn(schemas, name)) throw refuseUnknown(name, names);
    if (values.has(name)) {
      const advice = Type.IsArray(schemas[name]) ? 'give its values comma-separated' : 'give it once';
      throw refuse(`${name} is given twice; ${advice}.`);
    }
    values.set(name, value);
  }
  return values;
}

/** Validates parsed values, and adds defaults. Compiles at the first use, so that a process starts sooner. */
function compileCheck<Schemas extends TProperties>(schemas: Schemas) {
  let validate: ValidateFunction | undefined;
  return (values: Record<string, unknown>): Parameters<Schemas> => {
    validate ??= ajv.compile(Type.Object(schemas));
    if (!validate(values)) {
      const [problem] = (validate.errors ?? []).map(problemOfError);
      throw refuse(`${problem?.field ?? 'The query'} ${problem?.message}.`);
    }
    return values as Parameters<Schemas>;
  };
}

/**
 * Compiles the parser of a route's path parameters.
 *
 * @returns a function of the percent-decoded path parameters by name. Throws an ApiError `invalid_parameter`.
 */
export function compilePathParameters<Schemas extends TProperties>(
  schemas: Schemas,
): (parts: Readonly<Record<string, string>>) => Parameters<Schemas> {
  const check = compileCheck(schemas);
  return (parts) => {
    const values: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(schemas)) {
      const text = parts[name] ?? '';
      if (text.includes('\0')) throw refuse(`${name} has a NUL character, which no parameter takes.`);
      values[name] = parseValue(name, text, schema);
    }
    return check(values);
  };
}

/**
 * Compiles the parser of a route's query parameters.
 *
 * @returns a function of the raw query string without its question mark. It throws an ApiError
 *   `invalid_parameter` that names the parameter, its value and the valid values.
 */
export function compileParameters<Schemas extends TProperties>(
  schemas: Schemas,
): (query: string) => Parameters<Schemas> {
  const check = compileCheck(schemas);
  return (query) => {
    const values: Record<string, unknown> = {};
    for (const [name, text] of splitQuery(query, schemas)) {
      values[name] = parseValue(name, text, schemas[name] as TSchema);
    }
    return check(values);
  };
}
