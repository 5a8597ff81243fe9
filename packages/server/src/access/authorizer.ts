import { evaluateGrants, isValidName, type MsgCode, MsgError, type Verb } from '@msg/core';
import type { ChannelManager } from '../channels/manager.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { TokenRefused } from '../tokens/refusal.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import type { RevocationCheck } from './method-rights.ts';

/** The rule that decided about an access. */
export type DecidedBy =
  | 'grammar'
  | 'channel-state'
  | 'public'
  | 'token'
  | 'revoked'
  | 'deny-scope'
  | 'chs'
  | 'allow-scope'
  | 'none';

/** What somebody brings to be let in: nothing, the text of a token, or one that was verified earlier. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'kept'; readonly token: VerifiedToken };

export interface AccessDecision {
  readonly allowed: boolean;
  readonly by: DecidedBy;
  /** The code of a refusal. */
  readonly code: MsgCode | null;
  readonly detail: string;
  /** The token the decision rests on. */
  readonly token: VerifiedToken | null;
}

function refuse(
  by: DecidedBy,
  code: MsgCode,
  detail: string,
  token: VerifiedToken | null = null,
): AccessDecision {
  return { allowed: false, by, code, detail, token };
}

function allow(by: DecidedBy, detail: string, token: VerifiedToken | null = null): AccessDecision {
  return { allowed: true, by, code: null, detail, token };
}

/** The error of a refusal. */
export function refusalError(decision: AccessDecision): MsgError {
  return new MsgError(decision.code ?? 'MSG_INTERNAL', decision.detail);
}

/**
 * Decides who may do what with a channel. The one place that does: the realtime policy, and whoever explains its
 * decisions, ask here. Source: the specification, Authentication 5 to 8; messaging details 6.4, 6.6, 6.7.
 */
export class Authorizer {
  readonly #channels: ChannelManager;
  readonly #verifier: TokenVerifier;
  readonly #isRevoked: RevocationCheck;

  constructor(channels: ChannelManager, verifier: TokenVerifier, isRevoked: RevocationCheck) {
    this.#channels = channels;
    this.#verifier = verifier;
    this.#isRevoked = isRevoked;
  }

  /** The first two steps, before any token is looked at: grammar and state. `undefined` means: go on. */
  async checkChannel(name: string): Promise<AccessDecision | undefined> {
    if (!isValidName(name)) return refuse('grammar', 'MSG_CHANNEL_INVALID', 'the channel name is invalid');
    if (await this.#channels.isOpen(name)) return undefined;
    return refuse('channel-state', 'MSG_CHANNEL_CLOSED', `channel ${name} is not open`);
  }

  /** The remaining steps for a channel that is open: visibility, token, grants, revocation. */
  async checkGrant(name: string, verb: Verb, credential: Credential): Promise<AccessDecision> {
    if (verb === 'subscribe' && name.startsWith('public:'))
      return allow('public', 'public channels need no token');
    if (credential.kind === 'none')
      return refuse('none', 'MSG_AUTH_DENIED', `${verb} on ${name} needs an access token`);
    const token = credential.kind === 'kept' ? credential.token : this.#verify(credential.text);
    if ('allowed' in token) return token;
    if (!this.#verifier.isKeyLive(token))
      return refuse('token', 'MSG_AUTH_DENIED', 'the token is no longer valid', token);
    const expired = this.#verifier.isExpired(token);
    // A publish tells the expiry last, a subscribe first (messaging details 6.6 step 6, 6.7).
    if (expired && verb !== 'publish') return refuse('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    const verdict = evaluateGrants(token.grants, name, verb);
    const rule = verdict.pattern === undefined ? '' : ` by ${verdict.pattern}`;
    if (!verdict.allowed) {
      const detail =
        verdict.by === 'deny-scope' ? `${verb} is denied${rule}` : `the token does not grant ${verb}`;
      return refuse(verdict.by, 'MSG_AUTH_DENIED', detail, token);
    }
    if (await this.#isRevoked(token))
      return refuse('revoked', 'MSG_AUTH_DENIED', 'the token was revoked', token);
    if (expired) return refuse('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    return allow(verdict.by, `${verb} is granted${rule}`, token);
  }

  /**
   * The whole decision. `manage` does not ask for an open channel: the RPC it opens reopens and inspects closed ones.
   */
  async decide(name: string, verb: Verb, credential: Credential): Promise<AccessDecision> {
    const state = await this.checkChannel(name);
    const stands = state !== undefined && (verb !== 'manage' || state.by === 'grammar');
    return stands ? state : this.checkGrant(name, verb, credential);
  }

  #verify(text: string): VerifiedToken | AccessDecision {
    try {
      return this.#verifier.verify('access', text);
    } catch (error) {
      if (!(error instanceof TokenRefused)) throw error;
      return refuse('token', error.code, error.message);
    }
  }
}
