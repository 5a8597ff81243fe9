import { argumentFailure, libraryFailure } from '../failure.ts';
import { startOf } from '../numbers.ts';
import { LuaPointer } from '../pointer.ts';
import { LuaTable, type Value } from '../value.ts';
import { textAt } from './arguments.ts';
import { decodeString } from './json-string.ts';

/** `null` of JSON, which is true in Lua. */
export const NULL = new LuaPointer();

const MAX_DEPTH = 1000;

interface Token {
  /** A name of lua_cjson.c, as errors show it. */
  readonly type: string;
  readonly at: number;
  readonly value?: Value;
}

const SINGLE: Readonly<Record<string, string>> = {
  '{': 'T_OBJ_BEGIN',
  '}': 'T_OBJ_END',
  '[': 'T_ARR_BEGIN',
  ']': 'T_ARR_END',
  ',': 'T_COMMA',
  ':': 'T_COLON',
};

const WORDS: readonly (readonly [string, string, Value])[] = [
  ['true', 'T_BOOLEAN', true],
  ['false', 'T_BOOLEAN', false],
  ['null', 'T_NULL', NULL],
];

/** `cjson.decode` (lua_cjson.c): more lenient than `JSON.parse`, and of bytes. */
export function decodeJson(values: readonly Value[]): Value {
  if (values.length !== 1) throw argumentFailure(1, 'expected 1 argument');
  const text = textAt(values, 1);
  if (text.length >= 2 && (text[0] === '\0' || text[1] === '\0'))
    throw libraryFailure('JSON parser does not support UTF-16 or UTF-32');
  return new Decoder(text).whole();
}

class Decoder {
  readonly #text: string;
  #at: number;
  #depth: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = 0;
    this.#depth = 0;
  }

  whole(): Value {
    const value = this.#value(this.#token());
    const end = this.#token();
    if (end.type !== 'T_END') throw unexpected('the end', end);
    return value;
  }

  #value(token: Token): Value {
    switch (token.type) {
      case 'T_STRING':
      case 'T_NUMBER':
      case 'T_BOOLEAN':
      case 'T_NULL':
        return token.value;
      case 'T_OBJ_BEGIN':
        return this.#object();
      case 'T_ARR_BEGIN':
        return this.#array();
      default:
        throw unexpected('value', token);
    }
  }

  #descend(): void {
    this.#depth++;
    if (this.#depth > MAX_DEPTH)
      throw libraryFailure(`Found too many nested data structures (${this.#depth}) at character ${this.#at}`);
  }

  #object(): LuaTable {
    this.#descend();
    const table = new LuaTable();
    let token = this.#token();
    if (token.type === 'T_OBJ_END') return this.#ascend(table);
    for (;;) {
      if (token.type !== 'T_STRING') throw unexpected('object key string', token);
      const key = token.value;
      const colon = this.#token();
      if (colon.type !== 'T_COLON') throw unexpected('colon', colon);
      table.set(key, this.#value(this.#token()));
      token = this.#token();
      if (token.type === 'T_OBJ_END') return this.#ascend(table);
      if (token.type !== 'T_COMMA') throw unexpected('comma or object end', token);
      token = this.#token();
    }
  }

  #array(): LuaTable {
    this.#descend();
    const table = new LuaTable();
    let token = this.#token();
    if (token.type === 'T_ARR_END') return this.#ascend(table);
    for (let index = 1; ; index++) {
      table.set(index, this.#value(token));
      token = this.#token();
      if (token.type === 'T_ARR_END') return this.#ascend(table);
      if (token.type !== 'T_COMMA') throw unexpected('comma or array end', token);
      token = this.#token();
    }
  }

  #ascend(table: LuaTable): LuaTable {
    this.#depth--;
    return table;
  }

  #token(): Token {
    const text = this.#text;
    while (' \t\n\r'.includes(text[this.#at] ?? '?')) this.#at++;
    const at = this.#at;
    const first = text[at] ?? '\0';
    if (first === '\0') return { type: 'T_END', at };
    const single = SINGLE[first];
    if (single !== undefined) {
      this.#at++;
      return { type: single, at };
    }
    if (first === '"') return this.#string(at);
    if (first === '-' || (first >= '0' && first <= '9')) return this.#number(at);
    for (const [word, type, value] of WORDS) {
      if (!text.startsWith(word, at)) continue;
      this.#at += word.length;
      return { type, at, value };
    }
    if (first === '+' || /^(?:inf|nan)/i.test(text.slice(at, at + 3))) return this.#number(at);
    return { type: 'invalid token', at };
  }

  #number(at: number): Token {
    const [value, length] = startOf(this.#text.slice(at));
    if (length === 0) return { type: 'invalid number', at };
    this.#at += length;
    return { type: 'T_NUMBER', at, value };
  }

  #string(at: number): Token {
    const { value, end, fault } = decodeString(this.#text, at + 1);
    this.#at = end;
    return fault === undefined ? { type: 'T_STRING', at, value } : { type: fault, at: end };
  }
}

function unexpected(expected: string, { type, at }: Token): Error {
  return libraryFailure(`Expected ${expected} but found ${type} at character ${at + 1}`);
}
