/** Unsubscribe codes (client protocol 9.3). Applications use 2100–2499 (terminal) and 2600–2999 (resubscribe). */
export const UnsubscribeCode = {
  /** Local to clients. */
  ClientUnsubscribed: 0,
  /** Local to clients. */
  ClientDisconnected: 1,
  ServerUnsubscribe: 2000,
  InsufficientState: 2500,
  SubscriptionExpired: 2501,
  StateInvalidated: 2502,
} as const;
export type UnsubscribeCode = (typeof UnsubscribeCode)[keyof typeof UnsubscribeCode];

/** One row of the table of unsubscribe codes. */
export interface UnsubscribeCodeRow {
  readonly code: UnsubscribeCode;
  readonly reason: string;
  /** Clients resubscribe automatically. */
  readonly resubscribe: boolean;
  /** False for codes that only exist inside clients. */
  readonly sent: boolean;
}

/** Every unsubscribe code of the protocol, ascending. */
export const UNSUBSCRIBE_CODES: readonly UnsubscribeCodeRow[] = [
  { code: 0, reason: 'client unsubscribed', resubscribe: false, sent: false },
  { code: 1, reason: 'client disconnected', resubscribe: false, sent: false },
  { code: 2000, reason: 'server unsubscribe', resubscribe: false, sent: true },
  { code: 2500, reason: 'insufficient state', resubscribe: true, sent: true },
  { code: 2501, reason: 'subscription expired', resubscribe: true, sent: true },
  { code: 2502, reason: 'state invalidated', resubscribe: true, sent: true },
];

const BY_CODE: ReadonlyMap<number, UnsubscribeCodeRow> = new Map(
  UNSUBSCRIBE_CODES.map(row => [row.code, row]),
);

/** The row of a protocol unsubscribe code. */
export function unsubscribeCodeRow(code: UnsubscribeCode): UnsubscribeCodeRow;
export function unsubscribeCodeRow(code: number): UnsubscribeCodeRow | undefined;
export function unsubscribeCodeRow(code: number): UnsubscribeCodeRow | undefined {
  return BY_CODE.get(code);
}

/** Whether clients subscribe again after an unsubscribe push with this code: from 2500 on. */
export function unsubscribeResubscribes(code: number): boolean {
  return code >= 2500;
}
