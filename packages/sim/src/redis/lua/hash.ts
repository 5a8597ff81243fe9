import { LuaPointer } from './pointer.ts';

const BITS = new DataView(new ArrayBuffer(8));

/** Numbers of objects, in the place of their addresses. */
let serials = new WeakMap<object, number>();
let lastSerial = 0;

/** Begins to number objects anew: a script sees the same numbers whatever ran before it. */
export function resetSerials(): void {
  if (lastSerial === 0) return;
  serials = new WeakMap();
  lastSerial = 0;
}

/** A number that tells an object from others, as its address does in C. */
export function serialOf(object: object): number {
  let serial = serials.get(object);
  if (serial === undefined) {
    lastSerial++;
    serial = lastSerial;
    serials.set(object, serial);
  }
  return serial;
}

/** The node where a key belongs among so many nodes (ltable.c, mainposition; lstring.c, of Redis). */
export function mainPosition(key: unknown, nodes: number): number {
  switch (typeof key) {
    case 'string':
      return hashOfText(key) & (nodes - 1);
    case 'number':
      return hashOfNumber(key) % ((nodes - 1) | 1);
    case 'boolean':
      return Number(key) & (nodes - 1);
    default:
      if (key instanceof LuaPointer) return 0;
      return serialOf(key as object) % ((nodes - 1) | 1);
  }
}

function hashOfText(text: string): number {
  let hash = text.length;
  for (let index = text.length; index >= 1; index--)
    hash ^= (hash << 5) + (hash >>> 2) + text.charCodeAt(index - 1);
  return hash >>> 0;
}

function hashOfNumber(number: number): number {
  if (number === 0) return 0;
  BITS.setFloat64(0, number);
  return (BITS.getUint32(0) + BITS.getUint32(4)) >>> 0;
}
