import type { VerifiedToken } from '../tokens/claims.ts';

/** The caller of the RPC. */
export type Principal =
  /** The method is public, or the bearer check is off: the caller may call every method. */
  | { readonly kind: 'anonymous' }
  | {
      readonly kind: 'management';
      readonly token: VerifiedToken;
      /** A locked session of the console: methods that change something are refused. */
      readonly isLocked?: boolean;
      /** Id of the session of the console; absent: the caller shows the token itself. */
      readonly session?: string;
    }
  | { readonly kind: 'access'; readonly token: VerifiedToken };

/** The credential of a client: none, the text of a token, or a token that was verified earlier. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'verified'; readonly token: VerifiedToken };

export const NO_CREDENTIAL: Credential = { kind: 'none' };

/** The user of a channel: a connection, or the owner of a token without a connection. */
export interface ClientPrincipal {
  readonly kind: 'client';
  readonly credential: Credential;
  /** User id of the connection; absent: the subject of the token. */
  readonly user?: string;
  /** Id of the connection; absent without one. */
  readonly clientId?: string;
}
