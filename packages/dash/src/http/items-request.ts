import { defined } from '@msg/foundation/json';
import { anyJson, list, object, optional, text } from '@msg/foundation/shape';
import { displayValue } from '../document/display.ts';
import { isJsonObject, type Json, type JsonObject } from '../document/json.ts';
import type { Override } from '../resolve/overrides.ts';
import { type CellSize, roundedSize } from '../web/sizes.ts';
import { readShape } from './body.ts';
import { RequestError } from './request-error.ts';

/** What a page asks for: settings beside those of the address, items, and the cells of its charts. */
const ITEMS = object({
  overrides: optional(anyJson, 'settings beside those of the address'),
  sizes: optional(anyJson, 'pixels of the cells of charts, by node id'),
  ids: optional(list(text), 'only these items'),
  window: optional(text, 'span of time, in place of $time'),
  hidden: optional(anyJson, 'names of the series that are not drawn, by node id'),
});

/** A body of `items` and `data` as read. */
export interface ItemsRequest {
  readonly overrides?: readonly Override[];
  readonly sizes?: ReadonlyMap<string, CellSize>;
  readonly only?: ReadonlySet<string>;
  readonly time?: string;
  /** Names of series that legends have switched off. */
  readonly hidden?: ReadonlyMap<string, readonly string[]>;
  /** Aborts when the rows are not waited for any more. */
  readonly leaving?: AbortSignal;
}

/** @throws RequestError 400. */
export function readItemsRequest(body: JsonObject): ItemsRequest {
  const { overrides, sizes, ids, window, hidden } = readShape(ITEMS, body);
  return defined({
    overrides: overrides === undefined ? undefined : readOverrideMap(overrides),
    sizes: sizes === undefined ? undefined : readSizes(sizes),
    only: ids === undefined ? undefined : new Set(ids),
    time: window,
    hidden: hidden === undefined ? undefined : readHidden(hidden),
  });
}

function readOverrideMap(value: unknown): Override[] {
  return Object.entries(mapOf('overrides', value)).map(([address, member]) => ({ address, value: member }));
}

function readSizes(value: unknown): Map<string, CellSize> {
  return new Map(Object.entries(mapOf('sizes', value)).map(([id, size]) => [id, readSize(id, size)]));
}

function readSize(id: string, value: Json): CellSize {
  const { width, height } = isJsonObject(value) ? value : {};
  if (typeof width === 'number' && typeof height === 'number') return roundedSize({ width, height });
  throw new RequestError(400, `Size of "${id.slice(0, 200)}" must be {width, height} in pixels.`);
}

function mapOf(member: string, value: unknown): JsonObject {
  if (isJsonObject(value)) return value;
  throw new RequestError(400, `Member "${member}" must be an object; got ${displayValue(value)}.`);
}

function readHidden(value: unknown): Map<string, readonly string[]> {
  return new Map(
    Object.entries(mapOf('hidden', value)).map(([id, names]) => {
      if (Array.isArray(names) && names.every(name => typeof name === 'string')) return [id, names];
      throw new RequestError(400, `Hidden series of "${id.slice(0, 200)}" must be a list of names.`);
    }),
  );
}
