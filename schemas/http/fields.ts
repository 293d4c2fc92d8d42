import { type TProperties, type TSchema, Type } from 'typebox';

/*
 * The parts of the interface's schemas. These are JSON Schemas that TypeBox gives TypeScript types.
 */

export const text = Type.String();
export const integer = Type.Integer();
export const boolean = Type.Boolean();
export const date = Type.String({ format: 'date' });
export const time = Type.String({ format: 'date-time' });

export const oneOf = <Values extends string[]>(values: readonly [...Values]) =>
  Type.Enum(values, { type: 'string' });

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** An object that has no other fields. */
export const objectOf = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false });

/** An object with a name of its own: a component of /openapi.json. */
export const record = <Fields extends TProperties>(name: string, fields: Fields) =>
  Type.Object(fields, { $id: name, additionalProperties: false });
