import { type Setting, valueFlag } from '@msg/command-line';
import { duration } from '../config/setting-types.ts';

/** A `--ttl` flag; the RPC takes whole seconds, see {@link wholeSeconds}. */
export function ttlFlag(fallback: number, help: string): Setting<number> {
  return valueFlag('--ttl', duration, fallback, help);
}

/** Milliseconds as whole seconds away from zero: nothing ends earlier than asked for, nor turns into "default". */
export function wholeSeconds(ms: number): number {
  return ms < 0 ? Math.floor(ms / 1000) : Math.ceil(ms / 1000);
}
