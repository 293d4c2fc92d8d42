import { type TEnum, Type } from 'typebox';

/*
 * The forms of query parameters, as schemas of their parsed values: a list is written comma-separated. `title` completes
 * "must be …" in the message about an invalid value.
 */

/** The most values of one filter. */
const MAX_VALUES = 500;
const MAX_VALUE_LENGTH = 200;

const oneText = {
  minLength: 1,
  maxLength: MAX_VALUE_LENGTH,
  title: `text of 1 to ${MAX_VALUE_LENGTH} characters`,
};

const list = (plural: string, description: string) => ({
  title: `at most ${MAX_VALUES} ${plural}, comma-separated`,
  minItems: 1,
  maxItems: MAX_VALUES,
  description,
});

/** Values of a closed set. */
export const words = <Words extends string[]>(
  enumeration: TEnum<Words>,
  plural: string,
  description: string,
) => {
  const word = Type.With(enumeration, { title: `one of ${enumeration.enum.join(', ')}` });
  return Type.Optional(Type.Array(word, list(plural, description)));
};

/** Slugs, or other names that are checked in the database. */
export const names = (plural: string, description: string) =>
  Type.Optional(Type.Array(Type.String(oneText), list(plural, description)));

/** Ids of records. */
export const ids = (singular: string, description: string) =>
  Type.Optional(
    Type.Array(
      Type.Integer({ format: 'int64', minimum: 1, maximum: 2 ** 53, title: `a ${singular}` }),
      list(`${singular}s`, description),
    ),
  );

/** Text to search for. */
export const search = (description: string) => Type.Optional(Type.String({ ...oneText, description }));

export const flag = (description: string) =>
  Type.Optional(Type.Boolean({ title: 'true or false', description }));

export const wholeNumber = (minimum: number, maximum: number, description: string) =>
  Type.Integer({ minimum, maximum, title: `a whole number from ${minimum} to ${maximum}`, description });

/** The id of a record. Every id that a number can hold is valid, even if no record has it. */
export const anyId = (description: string) =>
  Type.With(wholeNumber(1, 2 ** 53, description), { format: 'int64' });
