import type { Bytes } from './reply.ts';

/**
 * `write`: refused by a replica. `denyOom`: refused without memory. `noScript`: not for scripts. `subscribed`: also for a client
 * of RESP 2 that has subscriptions. `always`: also while the server loads. `noAuth`: without a login. `atOnce`: not queued by
 * MULTI.
 */
export type CommandFlag = 'write' | 'denyOom' | 'noScript' | 'subscribed' | 'always' | 'noAuth' | 'atOnce';

/** What is known of a command without running it. */
export interface CommandTraits {
  /** In small letters; of a subcommand `container|name`. */
  readonly name: Bytes;
  /** Its words; negative: at least so many. */
  readonly arity: number;
  readonly flags?: readonly CommandFlag[];
  /** Places of its keys: first, last (negative: from the end) and step. */
  readonly keys?: readonly [first: number, last: number, step: number];
}

export const WRITE: readonly CommandFlag[] = ['write'];
export const WRITE_MORE: readonly CommandFlag[] = ['write', 'denyOom'];
export const ONE_KEY: readonly [number, number, number] = [1, 1, 1];

export function hasFlag({ flags = [] }: CommandTraits, flag: CommandFlag): boolean {
  return flags.includes(flag);
}

export function hasArity({ arity }: CommandTraits, args: readonly Bytes[]): boolean {
  return arity < 0 ? args.length >= -arity : args.length === arity;
}
