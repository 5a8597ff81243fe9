import { coreFailure, libraryFailure } from '../failure.ts';
import { LuaTable, type Results, resultsOf, type Value } from '../value.ts';
import { textAt } from './arguments.ts';

/** `cmsgpack.unpack`: all values that a text holds (lua_cmsgpack.c). */
export function unpackMessage(values: readonly Value[]): Results {
  const decoder = new Decoder(textAt(values, 1));
  const all: Value[] = [];
  while (!decoder.isAtEnd) all.push(decoder.value());
  return resultsOf(all);
}

class Decoder {
  readonly #text: string;
  readonly #view: DataView;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#view = new DataView(Uint8Array.from(text, byte => byte.charCodeAt(0)).buffer);
    this.#at = 0;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  value(): Value {
    const at = this.#take(1);
    const tag = this.#view.getUint8(at);
    if (tag < 0x80) return tag;
    if (tag >= 0xe0) return tag - 256;
    if (tag < 0x90) return this.#map(tag & 0xf);
    if (tag < 0xa0) return this.#list(tag & 0xf);
    if (tag < 0xc0) return this.#string(tag & 0x1f);
    return this.#tagged(tag);
  }

  #tagged(tag: number): Value {
    const view = this.#view;
    switch (tag) {
      case 0xc0:
        return undefined;
      case 0xc2:
      case 0xc3:
        return tag === 0xc3;
      case 0xca:
        return view.getFloat32(this.#take(4));
      case 0xcb:
        return view.getFloat64(this.#take(8));
      case 0xcc:
        return view.getUint8(this.#take(1));
      case 0xcd:
        return view.getUint16(this.#take(2));
      case 0xce:
        return view.getUint32(this.#take(4));
      // Lua 5.1 has no unsigned numbers: the upper half is below zero.
      case 0xcf:
      case 0xd3:
        return Number(view.getBigInt64(this.#take(8)));
      case 0xd0:
        return view.getInt8(this.#take(1));
      case 0xd1:
        return view.getInt16(this.#take(2));
      case 0xd2:
        return view.getInt32(this.#take(4));
      default:
        return this.#sized(tag);
    }
  }

  #sized(tag: number): Value {
    const view = this.#view;
    switch (tag) {
      case 0xd9:
        return this.#string(view.getUint8(this.#take(1)));
      case 0xda:
        return this.#string(view.getUint16(this.#take(2)));
      case 0xdb:
        return this.#string(view.getUint32(this.#take(4)));
      case 0xdc:
        return this.#list(view.getUint16(this.#take(2)));
      case 0xdd:
        return this.#list(view.getUint32(this.#take(4)));
      case 0xde:
        return this.#map(view.getUint16(this.#take(2)));
      case 0xdf:
        return this.#map(view.getUint32(this.#take(4)));
      default:
        throw libraryFailure('Bad data format in input.');
    }
  }

  #take(bytes: number): number {
    const at = this.#at;
    if (at + bytes > this.#text.length) throw libraryFailure('Missing bytes in input.');
    this.#at += bytes;
    return at;
  }

  #string(length: number): string {
    const at = this.#take(length);
    return this.#text.slice(at, at + length);
  }

  #list(length: number): LuaTable {
    const table = new LuaTable();
    for (let index = 1; index <= length; index++) table.set(index, this.value());
    return table;
  }

  #map(length: number): LuaTable {
    const table = new LuaTable();
    for (let index = 0; index < length; index++) {
      const key = this.value();
      const value = this.value();
      if (key === undefined) throw coreFailure('table index is nil');
      if (Number.isNaN(key)) throw coreFailure('table index is NaN');
      table.set(key, value);
    }
    return table;
  }
}
