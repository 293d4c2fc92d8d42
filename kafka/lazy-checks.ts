import { Ajv2020, type AnySchema, type ValidateFunction } from 'ajv/dist/2020.js';

/*
 * Compiles the checks of another library at their first use, from the import of this file until `endLaziness`.
 * @platformatic/kafka compiles 38 checks of options when it is loaded, a fifth of the processor time of a start, and
 * uses them only in its strict mode, which the service leaves off.
 */

const { compile } = Ajv2020.prototype;

Object.assign(Ajv2020.prototype, {
  compile(this: Ajv2020, schema: AnySchema) {
    let validate: ValidateFunction | undefined;
    const check = (data: unknown): boolean => {
      validate ??= compile.call(this, schema);
      const isValid = validate(data);
      Object.assign(check, { errors: validate.errors });
      return isValid;
    };
    return check;
  },
});

/** From now on, checks are compiled at once again. */
export function endLaziness(): void {
  Object.assign(Ajv2020.prototype, { compile });
}
