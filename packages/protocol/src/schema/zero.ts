import { Payload } from '../payload/payload.ts';
import type { Kind } from './kind.ts';

/** Shared zero values of maps and lists, for absent members of decoded messages. */
export const NO_ENTRIES: ReadonlyMap<string, never> = new Map<string, never>();
export const NO_ITEMS: readonly never[] = Object.freeze([]);

/**
 * True when a member of this kind may be left out: absent, zero, empty or false. A present message is never zero, because
 * its presence has a meaning.
 */
export function isZero(kind: Kind, value: unknown): boolean {
  if (value === undefined || value === null) return true;
  switch (kind) {
    case 'bool':
      return value === false;
    case 'str':
      return value === '';
    case 'bytes':
    case 'payload':
      return (value instanceof Payload ? value.bytes : (value as Uint8Array)).length === 0;
    case 'message':
      return false;
    case 'strings':
    case 'messages':
      return (value as readonly unknown[]).length === 0;
    case 'stringMap':
    case 'messageMap':
    case 'doubleMap':
      return (value as ReadonlyMap<string, unknown>).size === 0;
    default:
      return value === 0;
  }
}
