import { isDeepStrictEqual } from 'node:util';
import { type TProperties, type TSchema, Type } from 'typebox';
import { componentOf } from '../../../schemas/http/fields.ts';

/** A document, or a part of one. */
export type Document = Readonly<Record<string, unknown>>;

/** The keywords of a schema that the description changes. */
interface Keywords extends TSchema {
  title?: string;
  description?: string;
  default?: unknown;
  items?: TSchema;
  properties?: TProperties;
  contentSchema?: TSchema;
  anyOf?: TSchema[];
  discriminator?: { propertyName: string };
}

const SCALARS = new Set(['string', 'integer', 'boolean']);

/** Describes schemas and collects their components: a named schema is described once, and used by `$ref`. */
export class SchemaReference {
  readonly components: Record<string, Document> = {};

  /** @throws Error if two different schemas have the same name. */
  describe(schema: TSchema): Document {
    const component = componentOf(schema);
    if (component === undefined) return this.#describeKeywords(schema);
    const { name, description } = component;
    const { title: _, description: usage, default: fallback, ...own } = schema as Keywords;
    const described = { ...this.#describeKeywords(own), description };
    this.components[name] ??= described;
    if (!isDeepStrictEqual(this.components[name], described))
      throw new Error(`Two components are named ${name}.`);
    return {
      $ref: `#/components/schemas/${name}`,
      ...(usage !== undefined && { description: usage }),
      ...(fallback !== undefined && { default: fallback }),
    };
  }

  /** A title completes "must be …" in messages. Here it becomes part of the description. */
  #describeKeywords(schema: Keywords): Document {
    const { title, description, items, properties, contentSchema, anyOf, discriminator, ...rest } = schema;
    const mustBe = title === undefined ? undefined : `Must be ${title}.`;
    const text = [description, mustBe].filter((sentence) => sentence !== undefined).join(' ');
    return {
      ...rest,
      ...(anyOf && this.#describeUnion(anyOf, discriminator?.propertyName)),
      ...(text !== '' && { description: text }),
      ...(items && { items: this.describe(items) }),
      ...(contentSchema && { contentSchema: this.describe(contentSchema) }),
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([field, property]) => [field, this.describe(property)]),
        ),
      }),
    };
  }

  /**
   * Describes a nullable value with a list of types, or as the reference to its schema next to null. Objects
   * that differ in one field are described with that field.
   */
  #describeUnion(members: readonly TSchema[], discriminator: string | undefined): Document {
    const described = members.map((each) => this.describe(each));
    const [first, second] = described;
    if (members.length === 2 && second?.type === 'null' && SCALARS.has(String(first?.type))) {
      return { ...first, type: [first?.type, 'null'] };
    }
    if (discriminator === undefined) return { anyOf: described };
    const mapping = members.map((each, index) => {
      const { properties } = each as Keywords;
      const value = properties?.[discriminator];
      if (!Type.IsLiteral(value)) throw new Error(`${discriminator} does not tell the objects apart.`);
      return [value.const, described[index]?.$ref];
    });
    return {
      oneOf: described,
      discriminator: { propertyName: discriminator, mapping: Object.fromEntries(mapping) },
    };
  }
}
