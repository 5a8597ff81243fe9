import type { JsonSchema } from '@msg/foundation/shape';

/** A text in which `${NAME}` is replaced when the file is read: what it becomes is not known before. */
const REFERENCE: JsonSchema = { type: 'string', pattern: '\\$\\{[A-Z_][A-Z0-9_]*\\}' };

/** Any scalar of a file: each has a text. */
export const SCALAR: JsonSchema = { type: ['string', 'number', 'boolean'] };

/** One of several schemas. */
export function oneOf(...schemas: readonly JsonSchema[]): JsonSchema {
  return schemas.length === 1 ? (schemas[0] as JsonSchema) : { anyOf: schemas };
}

/** The schema, or a text with a reference to a variable. */
export function orReference(schema: JsonSchema): JsonSchema {
  return schema === SCALAR ? schema : { anyOf: [schema, REFERENCE] };
}

/** The schema, or nothing behind the key, which is as an absent key. */
export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { type: 'null' }] };
}

/** A whole number, also as a text. `digits`: how many a text has at most. */
export function wholeNumber(minimum: number, maximum: number, digits: number): JsonSchema {
  return {
    anyOf: [
      { type: 'integer', minimum, maximum },
      { type: 'string', pattern: `^${minimum > 0 ? '(?=0*[1-9])' : ''}\\d{1,${digits}}$` },
    ],
  };
}
