import { type TProperties, type TSchema, Type } from 'typebox';

/* The parts of the interface's schemas: JSON Schemas with TypeScript types from TypeBox. */

export const text = Type.String();
export const integer = Type.Integer();
/** A number of records. */
export const count = Type.Integer({ minimum: 0 });
/** The id of a record, an integer up to 2^53. */
export const recordId = Type.Integer({ format: 'int64', minimum: 1 });
export const boolean = Type.Boolean();
export const date = Type.String({ format: 'date' });
export const time = Type.String({ format: 'date-time' });

export const nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** A schema with a description of its place. A named schema also has its own description. */
export const described = <Schema extends TSchema>(schema: Schema, description: string) =>
  Type.With(schema, { description });

/** A component of /openapi.json: a schema with a name. Other schemas refer to it. */
export interface Component {
  name: string;
  description: string;
}

const COMPONENT = Symbol('component');

/** Gives a schema a name. The description of the component is separate from the descriptions of its places. */
export const named = <Schema extends TSchema>(name: string, description: string, schema: Schema): Schema =>
  Object.assign(Type.With(schema, {}), { [COMPONENT]: { name, description } }) as unknown as Schema;

/** The component of a schema; undefined if it has no name. */
export const componentOf = (schema: TSchema): Component | undefined =>
  (schema as { [COMPONENT]?: Component })[COMPONENT];

/** An object with a name of its own. A later version of the service can add fields to it. */
export const record = <Fields extends TProperties>(name: string, description: string, fields: Fields) =>
  named(name, description, Type.Object(fields));

/** A closed set of words with a name of its own. */
export const enumeration = <Values extends string[]>(
  name: string,
  description: string,
  values: readonly [...Values],
) => named(name, description, Type.Enum(values, { type: 'string' }));
