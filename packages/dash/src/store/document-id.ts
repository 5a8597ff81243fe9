import { display } from '../document/display.ts';
import { DashError } from '../errors.ts';

const MAX_ID_BYTES = 200;
const CONTROL_CHARACTERS = /[\p{Cc}\u2028\u2029]/u;
const DEVICE_NAME = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i;

/** Why an id cannot name a file safely on every system (dashboard details 12.1); undefined for a safe one. */
export function unsafeIdReason(id: string): string | undefined {
  if (id.trim() === '') return 'blank';
  if (/[/\\]/.test(id)) return 'separator';
  if (CONTROL_CHARACTERS.test(id)) return 'control_character';
  if (id.startsWith('.')) return 'leading_dot';
  if (id.endsWith('.') || /\s$/.test(id)) return 'trailing_dot_or_blank';
  if (!id.isWellFormed()) return 'not_unicode';
  if (Buffer.byteLength(id) > MAX_ID_BYTES) return 'too_long';
  return DEVICE_NAME.test(id) ? 'device_name' : undefined;
}

/** @throws DashError STORAGE_ID_INVALID `{id, reason}`. */
export function requireSafeId(id: string): void {
  const reason = unsafeIdReason(id);
  if (reason === undefined) return;
  const message = `Document id must be a safe file name (${reason}); got "${display(id)}".`;
  throw new DashError('STORAGE_ID_INVALID', message, { id: id.toWellFormed(), reason });
}
