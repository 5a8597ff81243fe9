import type { OutboxFailure } from '../contract.ts';

/** Codes of connections and SQLSTATEs; anything else may be part of an address. */
const CODE = /^[A-Z0-9_]{1,40}$/;

/** An error of the database without address, user and statement. */
export function failureOfDatabase(error: unknown): OutboxFailure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!CODE.test(code)) return { where: 'database', code: 'UNKNOWN', message: 'the database failed' };
  if (code.startsWith('MSG_') && error instanceof Error) {
    return { where: 'database', code, message: error.message };
  }
  return { where: 'database', code, message: `the database failed with ${code}` };
}
