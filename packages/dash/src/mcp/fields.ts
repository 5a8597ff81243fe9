import { isRecord } from '@msg/foundation/json';
import { type Field, ShapeError } from '@msg/foundation/shape';
import { hasControls } from '../document/display.ts';
import type { Json } from '../document/json.ts';
import type { Override } from '../resolve/overrides.ts';

/** Most names of one batch (review details 7.1). */
const MOST_NAMES = 24;
/** Characters of a name of a variable, connection, node, type or skill. */
export const LONGEST_NAME = 200;
const MOST_OVERRIDES = 50;

/** One of a few values. */
export function oneOf<const T extends string | boolean>(...values: readonly T[]): Field<T> {
  const expected = `one of ${values.map(value => JSON.stringify(value)).join(', ')}`;
  return {
    zero: () => values[0] as T,
    read(value, path) {
      const fitting = values.find(candidate => candidate === value);
      if (fitting === undefined) throw unfit(expected, path, value);
      return fitting;
    },
    write: value => value,
    schema: () => ({ enum: [...values] }),
  };
}

/** A whole number between bounds. */
export function wholeNumber(minimum: number, maximum: number): Field<number> {
  return {
    zero: () => minimum,
    read(value, path) {
      const isFitting =
        typeof value === 'number' && Number.isInteger(value) && value >= minimum && value <= maximum;
      if (!isFitting) throw unfit(`a whole number from ${minimum} to ${maximum}`, path, value);
      return value;
    },
    write: value => value,
    schema: () => ({ type: 'integer', minimum, maximum }),
  };
}

/** One line of at most so many characters, and at least one. */
export function shortLine(most: number): Field<string> {
  return {
    zero: () => '',
    read(value, path) {
      const isText = typeof value === 'string' && value !== '' && value.length <= most;
      if (isText && !hasControls(value)) return value;
      throw unfit(`a line of 1 to ${most} characters without controls`, path, value);
    },
    write: value => value,
    schema: () => ({ type: 'string' }),
  };
}

/** A list of 1 to 24 names. */
export const names: Field<readonly string[]> = {
  zero: () => [],
  read(value, path) {
    const isFitting =
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= MOST_NAMES &&
      value.every(name => typeof name === 'string' && name.length <= LONGEST_NAME);
    if (!isFitting) throw unfit(`a list of 1 to ${MOST_NAMES} names`, path, value);
    return value as readonly string[];
  },
  write: value => value,
  schema: () => ({ type: 'array', items: { type: 'string' }, maxItems: MOST_NAMES }),
};

/** Runtime overrides by their addresses (dashboard details 9.3). */
export const overrides: Field<readonly Override[]> = {
  zero: () => [],
  read(value, path) {
    if (!isRecord(value) || Object.keys(value).length > MOST_OVERRIDES) {
      throw unfit(`an object of at most ${MOST_OVERRIDES} values`, path, value);
    }
    return Object.entries(value).map(([address, entry]) => ({ address, value: entry as Json }));
  },
  write: value => value,
  schema: () => ({ type: 'object' }),
};

function unfit(expected: string, path: string, value: unknown): ShapeError {
  return new ShapeError({ problem: 'type', path, expected: `must be ${expected}`, value });
}
