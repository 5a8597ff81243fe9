import type { LuaScript } from '@msg/redis';

/**
 * The Redis-compatible store that nodes share, for the backends of the service. A command that fails rejects within a few
 * seconds. No command is repeated, because one without an answer may have been executed.
 */
export interface SharedStore {
  /** Location for the operator, without credentials. */
  readonly location: string;
  /** The full name of a key, or of a PUB/SUB channel, of the service (messaging details, section 18). */
  key(name: string): string;
  /** The store's clock, Unix milliseconds, which all nodes share. Does not wait. */
  now(): number;
  /** Runs one command. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Runs a script as one atomic step. */
  run(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}
