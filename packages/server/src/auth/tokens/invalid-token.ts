import { MsgError } from '@msg/core';

/** Why a token is invalid, as a label of the access log (messaging details 11.2). */
export type InvalidTokenReason =
  | 'MSG_AUTH_MISSING'
  | 'MSG_AUTH_EXPIRED'
  | 'MSG_AUTH_INVALID_SIGNATURE'
  | 'MSG_AUTH_UNSUPPORTED_ALG'
  | 'MSG_AUTH_MALFORMED'
  | 'MSG_AUTH_TYPE_MISMATCH'
  | 'MSG_AUTH_NOT_YET_VALID'
  | 'MSG_AUTH_DENIED';

const TEXTS: Readonly<Record<InvalidTokenReason, string>> = {
  MSG_AUTH_MISSING: 'missing bearer token',
  MSG_AUTH_EXPIRED: 'token expired',
  MSG_AUTH_INVALID_SIGNATURE: 'token signature is invalid',
  MSG_AUTH_UNSUPPORTED_ALG: 'token algorithm is not supported',
  MSG_AUTH_MALFORMED: 'token is malformed',
  MSG_AUTH_TYPE_MISMATCH: 'token type mismatch',
  MSG_AUTH_NOT_YET_VALID: 'token is not valid yet',
  MSG_AUTH_DENIED: 'permission denied',
};

/**
 * A token that does not verify. An expired token is MSG_AUTH_EXPIRED, any other MSG_AUTH_DENIED (messaging details 6.2).
 * The message never contains a part of the token.
 */
export class InvalidTokenError extends MsgError {
  readonly label: InvalidTokenReason;
  /** `typ` of the token, if its signature is valid. */
  readonly type: string | undefined;

  /** @param text the message, for a credential that is not a token */
  constructor(label: InvalidTokenReason, type?: string, unauthenticated = false, text = TEXTS[label]) {
    super(label === 'MSG_AUTH_EXPIRED' ? 'MSG_AUTH_EXPIRED' : 'MSG_AUTH_DENIED', text, { unauthenticated });
    this.label = label;
    this.type = type;
  }

  /** The same error for a bearer of the RPC: 401. */
  asBearer(): InvalidTokenError {
    return new InvalidTokenError(this.label, this.type, true);
  }
}
