import type { Bytes } from './reply.ts';
import { SortedSet } from './sorted-set.ts';
import { StreamValue } from './stream-value.ts';

/** What a key of each type holds. */
export interface Values {
  string: Bytes;
  hash: Map<Bytes, Bytes>;
  list: Bytes[];
  set: Set<Bytes>;
  zset: SortedSet;
  stream: StreamValue;
}

export type ValueType = keyof Values;

export type Value = { [T in ValueType]: { readonly type: T; readonly content: Values[T] } }[ValueType];

/** Streams stay when their last entry goes. */
export function isEmpty(value: Value): boolean {
  switch (value.type) {
    case 'list':
      return value.content.length === 0;
    case 'hash':
    case 'set':
    case 'zset':
      return value.content.size === 0;
    default:
      return false;
  }
}

/** A value of its own with the same content. */
export function copyOfValue(value: Value): Value {
  switch (value.type) {
    case 'string':
      return value;
    case 'hash':
      return { type: 'hash', content: new Map(value.content) };
    case 'list':
      return { type: 'list', content: [...value.content] };
    case 'set':
      return { type: 'set', content: new Set(value.content) };
    case 'zset':
      return { type: 'zset', content: SortedSet.of(value.content) };
    case 'stream':
      return { type: 'stream', content: StreamValue.of(value.content) };
  }
}
