import { argumentFailure } from '../failure.ts';
import type { Value } from '../value.ts';
import { LuaTable } from '../value.ts';

/** Deeper tables become nil (lua_cmsgpack.c). */
const MAX_NESTING = 16;

const BITS = new DataView(new ArrayBuffer(8));

/** `cmsgpack.pack`: all arguments, one after the other. */
export function packMessage(values: readonly Value[]): string {
  if (values.length === 0) throw argumentFailure(0, 'MessagePack pack needs input.');
  return values.map(value => packed(value, 0)).join('');
}

function packed(value: Value, level: number): string {
  switch (typeof value) {
    case 'string':
      return stringHead(value.length) + value;
    case 'number':
      return number(value);
    case 'boolean':
      return value ? '\xc3' : '\xc2';
    default:
      if (value instanceof LuaTable && level !== MAX_NESTING)
        return isList(value) ? list(value, level) : map(value, level);
      return '\xc0';
  }
}

/** A byte and a number of that many bytes, the greatest first. */
function head(tag: number, value: number, bytes: number): string {
  let text = String.fromCharCode(tag);
  for (let index = bytes - 1; index >= 0; index--)
    text += String.fromCharCode(Math.floor(value / 256 ** index) % 256);
  return text;
}

function stringHead(length: number): string {
  if (length < 32) return head(0xa0 | length, 0, 0);
  if (length <= 0xff) return head(0xd9, length, 1);
  return length <= 0xffff ? head(0xda, length, 2) : head(0xdb, length, 4);
}

function number(value: number): string {
  if (!Number.isInteger(value) || value < -(2 ** 63) || value >= 2 ** 63) return floating(value);
  if (value >= 0) {
    if (value <= 127) return head(value, 0, 0);
    if (value <= 0xff) return head(0xcc, value, 1);
    if (value <= 0xffff) return head(0xcd, value, 2);
    return value <= 0xffffffff ? head(0xce, value, 4) : wide(0xcf, value);
  }
  if (value >= -32) return head(value + 256, 0, 0);
  if (value >= -128) return head(0xd0, value + 2 ** 8, 1);
  if (value >= -32768) return head(0xd1, value + 2 ** 16, 2);
  return value >= -(2 ** 31) ? head(0xd2, value + 2 ** 32, 4) : wide(0xd3, value);
}

function wide(tag: number, value: number): string {
  BITS.setBigInt64(0, BigInt(value));
  return String.fromCharCode(tag) + allBytes(8);
}

function floating(value: number): string {
  if (Math.fround(value) === value) {
    BITS.setFloat32(0, value);
    return `\xca${allBytes(4)}`;
  }
  BITS.setFloat64(0, value);
  // NaN that arithmetic makes on x86 has the sign.
  if (Number.isNaN(value)) BITS.setUint8(0, BITS.getUint8(0) | 0x80);
  return `\xcb${allBytes(8)}`;
}

function allBytes(count: number): string {
  return Array.from({ length: count }, (_, index) => String.fromCharCode(BITS.getUint8(index))).join('');
}

/** Whether the keys are the numbers from 1 on, all of them. */
function isList(table: LuaTable): boolean {
  let greatest = 0;
  let count = 0;
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    const [key] = entry;
    if (typeof key !== 'number' || key <= 0 || !Number.isInteger(key) || key >= 2 ** 31) return false;
    greatest = Math.max(greatest, key);
    count++;
  }
  return greatest === count;
}

function list(table: LuaTable, level: number): string {
  const length = table.length();
  let text =
    length <= 15
      ? head(0x90 | length, 0, 0)
      : length <= 0xffff
        ? head(0xdc, length, 2)
        : head(0xdd, length, 4);
  for (let index = 1; index <= length; index++) text += packed(table.get(index), level + 1);
  return text;
}

function map(table: LuaTable, level: number): string {
  let text = '';
  let count = 0;
  for (let entry = table.next(undefined); entry; entry = table.next(entry[0])) {
    text += packed(entry[0], level + 1) + packed(entry[1], level + 1);
    count++;
  }
  return (
    (count <= 15 ? head(0x80 | count, 0, 0) : count <= 0xffff ? head(0xde, count, 2) : head(0xdf, count, 4)) +
    text
  );
}
