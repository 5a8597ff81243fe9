import { DisconnectCode, ErrorCode, UnsubscribeCode } from '@msg/protocol';
import { disconnectCodeRow, errorCodeRow, unsubscribeCodeRow } from '@msg/protocol/internal';

/** The close code of a normal WebSocket closure (RFC 6455, 7.4.1). */
export const NORMAL_CLOSURE = 1000;

/** An error reply to one command (client protocol 9.1). Policy hooks and the node throw it; the connection stays open. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
  /** 100–399 belong to the protocol, 400–1999 to the application. */
  readonly code: number;
  /** Clients retry a temporary error with backoff; a permanent refusal must never be temporary. */
  readonly temporary: boolean;

  constructor(code: number, message: string, temporary = false) {
    super(message);
    this.code = code;
    this.temporary = temporary;
  }
}

/**
 * Ends a connection (client protocol 9.2). Policy hooks throw it, and `node.disconnect` takes it. Clients reconnect after
 * the codes 3000–3499 and 4000–4499; 3500–3999 and 4500–4999 are terminal.
 */
export class Disconnect extends Error {
  override readonly name = 'Disconnect';
  readonly code: number;
  readonly reason: string;

  /** @throws RangeError for a code that no close frame can carry */
  constructor(code: number, reason: string) {
    if (code !== NORMAL_CLOSURE && !(code >= 3000 && code < 5000))
      throw new RangeError(`disconnect code ${code}`);
    super(`${code} ${reason}`);
    this.code = code;
    this.reason = reason;
  }
}

/** Ends a subscription (client protocol 9.3): below 2500 terminal, from 2500 on the client resubscribes. */
export interface Unsubscribe {
  readonly code: number;
  readonly reason: string;
}

/** One member for each code of a table, named as the code. */
type ByCodeName<Codes, Value> = {
  readonly [Name in keyof Codes & string as Uncapitalize<Name>]: Value;
};

function byCodeName<Codes extends Readonly<Record<string, number>>, Value>(
  codes: Codes,
  memberOf: (code: Codes[keyof Codes]) => Value,
): ByCodeName<Codes, Value> {
  const members = Object.entries(codes).map(([name, code]) => [
    name.charAt(0).toLowerCase() + name.slice(1),
    memberOf(code as Codes[keyof Codes]),
  ]);
  return Object.fromEntries(members);
}

/**
 * Makes the error replies of the protocol with the messages of its table: `throw errorReply.notAvailable()`, or with a
 * more detailed message.
 */
export const errorReply: ByCodeName<typeof ErrorCode, (message?: string) => ReplyError> = byCodeName(
  ErrorCode,
  code => {
    const row = errorCodeRow(code);
    return (message = row.message) => new ReplyError(code, message, row.temporary);
  },
);

/** Makes the disconnects of the protocol with the reasons of its table: `throw disconnect.badRequest()`. */
export const disconnect: ByCodeName<typeof DisconnectCode, () => Disconnect> = byCodeName(
  DisconnectCode,
  code => () => new Disconnect(code, disconnectCodeRow(code).reason),
);

/** The unsubscribes of the protocol with the reasons of its table: `unsubscribe.subscriptionExpired`. */
export const unsubscribe: ByCodeName<typeof UnsubscribeCode, Unsubscribe> = byCodeName(
  UnsubscribeCode,
  code => ({ code, reason: unsubscribeCodeRow(code).reason }),
);
