import type { LuaScript } from '@msg/redis';

/**
 * The Redis-compatible store that nodes share, as the backends of the service use it. A command that cannot be carried
 * out rejects within a few seconds; none is repeated, because a command without an answer may have been carried out.
 */
export interface SharedStore {
  /** Where it is, for the operator; without credentials. */
  readonly location: string;
  /** The full name of a key, or of a PUB/SUB channel, of the service (messaging details, section 18). */
  key(name: string): string;
  /** The store's clock, Unix milliseconds: the same on all nodes, whatever their own clocks say. Does not wait. */
  now(): number;
  /** Runs one command. */
  call(command: string, ...args: (string | number)[]): Promise<unknown>;
  /** Runs a script as one atomic step. */
  run(script: LuaScript, keys: readonly string[], args: readonly (string | number)[]): Promise<unknown>;
}
