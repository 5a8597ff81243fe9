import assert from 'node:assert/strict';
import { isRecord } from '@msg/foundation/json';

/** Fails unless `actual` has every member of `expected`, at any depth; arrays must be as long. */
export function assertMatches(actual: unknown, expected: unknown): void {
  if (Array.isArray(expected)) {
    assert.ok(Array.isArray(actual), 'an array is expected');
    assert.equal(actual.length, expected.length);
    for (const [index, item] of expected.entries()) assertMatches(actual[index], item);
  } else if (isRecord(expected)) {
    assert.ok(isRecord(actual), `an object is expected; got ${String(actual)}`);
    for (const [name, value] of Object.entries(expected)) assertMatches(actual[name], value);
  } else assert.deepEqual(actual, expected);
}
