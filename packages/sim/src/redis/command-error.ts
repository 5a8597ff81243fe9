import { oneLine } from './error-text.ts';
import type { Bytes } from './reply.ts';

/** A command that fails; its message is the whole error line. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly text: Bytes;

  constructor(text: Bytes) {
    super(text);
    this.text = text;
  }
}

/** Error lines that many commands answer. */
export const ERRORS = {
  notInteger: 'ERR value is not an integer or out of range',
  notFloat: 'ERR value is not a valid float',
  syntax: 'ERR syntax error',
  wrongType: 'WRONGTYPE Operation against a key holding the wrong kind of value',
  overflow: 'ERR increment or decrement would overflow',
  noKey: 'ERR no such key',
  notPositive: 'ERR value is out of range, must be positive',
} as const;

/** @throws CommandError always */
export function fail(text: Bytes): never {
  throw new CommandError(oneLine(text));
}
