import { CODE_TABLE } from '@msg/core';
import { TWIRP_STATUS } from '@msg/core/internal';
import { CODE_TABLE as DASH_CODES } from '@msg/dash';
import { DISCONNECT_CODES, ERROR_CODES, UNSUBSCRIBE_CODES } from '@msg/protocol';

/** Codes of failures: HTTP status, whether it is worth trying again, the code on the client protocol. */
export function failureCodes(): object {
  const msg = Object.entries(CODE_TABLE).map(([code, { twirp, wire, retryable }]) => [
    code,
    { twirp, status: TWIRP_STATUS[twirp], wire, retryable },
  ]);
  const dash = Object.entries(DASH_CODES).map(([code, { status }]) => [code, { status: status ?? null }]);
  return { msg: Object.fromEntries(msg), dash: Object.fromEntries(dash) };
}

/** Codes of the client protocol: rows by number. */
export function wireCodes(): object {
  const byCode = (rows: readonly { readonly code: number }[]): object =>
    Object.fromEntries(rows.map(({ code, ...row }) => [code, row]));
  return {
    errors: byCode(ERROR_CODES),
    disconnects: byCode(DISCONNECT_CODES),
    unsubscribes: byCode(UNSUBSCRIBE_CODES),
  };
}
