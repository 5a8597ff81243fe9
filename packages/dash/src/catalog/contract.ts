import { defined } from '@msg/foundation/json';
import { isJsonObject, type Json, type JsonObject, ownMember } from '../document/json.ts';
import { DashError } from '../errors.ts';
import type { RowField } from './types.ts';
import type { Schemas, Validator } from './validator.ts';

const ROW_FIELD_KEYS = ['path', 'cell', 'if'];
const PATH = /^[A-Za-z_][A-Za-z0-9_-]*(\[\])?(\.[A-Za-z_][A-Za-z0-9_-]*(\[\])?)*$/;

/** Result contract of an item type (dashboard details 7.4). */
export interface Contract {
  readonly expectedResult?: Json;
  readonly validateResult?: Validator;
  readonly rowFields: readonly RowField[];
}

/** @throws DashError CONTRACT_INVALID `{type, reason}`. */
export function readContract(schemas: Schemas, type: string, schema: JsonObject): Contract {
  const expected = ownMember(schema, 'expectedResult');
  const fields = ownMember(schema, 'rowFields');
  if (fields !== undefined && !Array.isArray(fields)) throw contractInvalid(type, 'rowFields is not a list');
  return defined({
    expectedResult: expected,
    validateResult: expected === undefined ? undefined : compile(schemas, type, 'expectedResult', expected),
    rowFields: (fields ?? []).map(field => readRowField(schemas, type, field)),
  });
}

function readRowField(schemas: Schemas, type: string, field: Json): RowField {
  if (!isJsonObject(field)) throw contractInvalid(type, 'rowFields: an entry is not an object');
  if (Object.keys(field).some(key => !ROW_FIELD_KEYS.includes(key)))
    throw contractInvalid(type, 'rowFields: unknown key');
  const { path, cell = 'any', if: condition } = field;
  if (typeof path !== 'string' || !PATH.test(path)) throw contractInvalid(type, 'rowFields: path');
  if (cell !== 'any' && cell !== 'number' && cell !== 'amount')
    throw contractInvalid(type, 'rowFields: cell');
  const applies = condition === undefined ? undefined : compile(schemas, type, 'rowFields', condition);
  return { path, cell, ...defined({ applies }) };
}

function compile(schemas: Schemas, type: string, member: string, schema: Json): Validator {
  try {
    if (!isJsonObject(schema) && typeof schema !== 'boolean') throw new Error('not a schema');
    return schemas.compile(schema);
  } catch (error) {
    throw contractInvalid(type, `${member}: ${(error as Error).message}`.slice(0, 300));
  }
}

function contractInvalid(type: string, reason: string): DashError {
  return new DashError('CONTRACT_INVALID', `Result contract of type "${type}" is not valid: ${reason}.`, {
    type,
    reason,
  });
}
