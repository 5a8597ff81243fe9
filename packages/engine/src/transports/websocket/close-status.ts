/** The status of a close frame (RFC 6455, 7.4.1), as far as we send or read them. */
export const CloseStatus = {
  ProtocolError: 1002,
  /** A close frame without a status. */
  None: 1005,
  /** Text that is not UTF-8, or a compressed message that cannot be read. */
  InvalidPayload: 1007,
  MessageTooBig: 1009,
} as const;

/** Statuses that no frame may carry (RFC 6455, 7.4.1): reserved, none, and ended without a frame. */
const NEVER_SENT: readonly number[] = [1004, 1005, 1006];

/** Whether a peer may send this status: assigned by the registry, or of libraries and applications. */
export function isReceivableStatus(status: number): boolean {
  if (status >= 1000 && status <= 1014) return !NEVER_SENT.includes(status);
  return status >= 3000 && status <= 4999;
}
