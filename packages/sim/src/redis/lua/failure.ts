import type { LuaTable } from './value.ts';
import { typeName, type Value } from './value.ts';

/** A place of a script where something can fail: what an error says of it. */
export interface Site {
  /** Undefined where C calls: there errors have no position. */
  readonly line: number | undefined;
  /** The line for the tail of the answer where errors have no position. */
  readonly tail?: number | undefined;
  /** Kind and name of what is called, indexed or calculated with, as `local 'record'`. */
  readonly name: string | undefined;
  /** The same of a right operand. */
  readonly right?: string | undefined;
  /** What is called by name, for the messages of the library. */
  readonly called?: string | undefined;
  readonly isMethod?: boolean;
}

/** Calls that a function of the library makes: `pcall`, `table.sort`, `string.gsub`. */
export const FROM_LIBRARY: Site = { line: undefined, name: undefined };

/** What runs: the library reads where it was called from. */
export const running: { site: Site; caller: Site; source: string } = {
  site: FROM_LIBRARY,
  caller: FROM_LIBRARY,
  source: 'user_script',
};

/** An error of a script, which `pcall` catches; `value` is what `error` was called with. */
export class LuaError extends Error {
  override readonly name = 'LuaError';
  readonly value: Value;
  /** The line that the tail of the answer names. */
  readonly line: number | undefined;

  constructor(value: Value, line: number | undefined) {
    super(typeof value === 'string' ? value : `a ${typeName(value)} value`);
    this.value = value;
    this.line = line;
  }
}

/** Errors of the simulator itself, which no script catches. */
export class NotTranslated extends Error {
  override readonly name = 'NotTranslated';
}

/** `user_script:3: `, or nothing where C calls. */
export function positionOf(site: Site): string {
  return site.line === undefined ? '' : `${running.source}:${site.line}: `;
}

/** An error of the language at a place of the script. */
export function failureAt(site: Site, text: string): LuaError {
  return new LuaError(positionOf(site) + text, site.line ?? site.tail);
}

/** An error of the core within a function of the library: it has no position, but the answer to it has a line. */
export function coreFailure(text: string): LuaError {
  return new LuaError(text, running.site.line);
}

/** An error that a function of the library raises (luaL_error). */
export function libraryFailure(text: string): LuaError {
  return failureAt(running.site, text);
}

/** An argument is not what it must be (luaL_argerror); the first is 1. */
export function argumentFailure(argument: number, text: string): LuaError {
  const { called, isMethod } = running.site;
  if (isMethod !== true) return libraryFailure(`bad argument #${argument} to '${called ?? '?'}' (${text})`);
  if (argument === 1) return libraryFailure(`calling '${called}' on bad self (${text})`);
  return libraryFailure(`bad argument #${argument - 1} to '${called}' (${text})`);
}

/** An argument has a wrong type (luaL_typerror). */
export function typeFailure(values: readonly Value[], argument: number, expected: string): LuaError {
  const actual = argument > values.length ? 'no value' : typeName(values[argument - 1]);
  return argumentFailure(argument, `${expected} expected, got ${actual}`);
}

/** `attempt to index local 'record' (a nil value)`. */
export function attemptFailure(site: Site, action: string, value: Value, name: string | undefined): LuaError {
  const what = name === undefined ? `a ${typeName(value)} value` : `${name} (a ${typeName(value)} value)`;
  return failureAt(site, `attempt to ${action} ${what}`);
}

/** The library's tables refuse writes, as all globals do. */
export function readonlyFailure(site: Site, table: LuaTable): LuaError | undefined {
  return table.readonly ? failureAt(site, 'Attempt to modify a readonly table') : undefined;
}
