/** A JSON Schema of draft 2020-12, as far as the interface uses it. */
export interface JsonSchema {
  type?: string | readonly string[];
  /** Completes "must be …" in the message for a value that does not fit. */
  title?: string;
  description?: string;
  enum?: readonly (string | null)[];
  const?: string;
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  default?: string | number | boolean;
  items?: JsonSchema;
  properties?: Readonly<Record<string, JsonSchema>>;
  required?: readonly string[];
  additionalProperties?: boolean;
  anyOf?: readonly JsonSchema[];
}

/** An object whose named properties are all present, and which has no others. */
export function objectOf(properties: Readonly<Record<string, JsonSchema>>): JsonSchema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false };
}

/** Null, or what the schema says. */
export function nullable(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

export const text: JsonSchema = { type: 'string' };
export const integer: JsonSchema = { type: 'integer' };
export const date: JsonSchema = { type: 'string', format: 'date' };
export const time: JsonSchema = { type: 'string', format: 'date-time' };
export const oneOf = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
