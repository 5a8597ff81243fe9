import { evaluateGrants, isValidName, type MsgCode, MsgError, type Verb } from '@msg/core';
import type { ChannelManager } from '../../channels/manager.ts';
import type { ChannelState } from '../../channels/record.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/refusal.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import type { AuthorizationPrincipal, AuthorizerGuard } from './custom-authorizer.ts';
import type { RevocationCheck } from './method-rights.ts';

/** The rule that decided about an access. */
export type AccessRule =
  | 'grammar'
  | 'channel-state'
  | 'public'
  | 'token'
  | 'revoked'
  | 'deny-scope'
  | 'chs'
  | 'allow-scope'
  | 'authorizer'
  | 'none';

/** What a caller presents: nothing, the text of a token, or a token that was verified earlier. */
export type Credential =
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'kept'; readonly token: VerifiedToken };

export interface AccessDecision {
  readonly allowed: boolean;
  readonly by: AccessRule;
  /** The code of a refusal. */
  readonly code: MsgCode | null;
  readonly detail: string;
  /** A refusal that ends by itself: the channel may open later (messaging details 24.1). */
  readonly temporary: boolean;
  /** The token the decision rests on. */
  readonly token: VerifiedToken | null;
}

function refuse(
  by: AccessRule,
  code: MsgCode,
  detail: string,
  token: VerifiedToken | null = null,
): AccessDecision {
  return { allowed: false, by, code, detail, temporary: false, token };
}

/**
 * Refuses a channel in the given state, `undefined` for a name without record. Only a deleted name is refused for good.
 */
export function refuseState(name: string, state: ChannelState | undefined): AccessDecision {
  const isDeleted = state === 'deleted';
  const detail = isDeleted ? `channel ${name} was deleted` : `channel ${name} is not open`;
  return { ...refuse('channel-state', 'MSG_CHANNEL_CLOSED', detail), temporary: !isDeleted };
}

function allow(by: AccessRule, detail: string, token: VerifiedToken | null = null): AccessDecision {
  return { allowed: true, by, code: null, detail, temporary: false, token };
}

/** The error of a refusal. */
export function refusalError(decision: AccessDecision): MsgError {
  return new MsgError(decision.code ?? 'MSG_INTERNAL', decision.detail);
}

export interface AuthorizerOptions {
  readonly channels: ChannelManager;
  readonly verifier: TokenVerifier;
  readonly isRevoked: RevocationCheck;
  /** False: the grants of tokens give no rights; they still say who connects. Default true. */
  readonly tokens?: boolean;
  /** The embedder's part of a decision. */
  readonly custom?: Pick<AuthorizerGuard, 'ask'>;
}

/** What {@link Authorizer.checkGrant} decides about. */
export interface AccessRequest {
  readonly name: string;
  readonly verb: Verb;
  readonly credential: Credential;
  /** Absent where there is no connection: the subject of the token. */
  readonly principal?: AuthorizationPrincipal;
}

/**
 * Decides whether a caller may use a channel. The realtime policy and `explain` ask here. Source: the
 * specification, Authentication 5 to 8; messaging details 6.4, 6.6, 6.7, 24.8.
 */
export class Authorizer {
  readonly #channels: ChannelManager;
  readonly #verifier: TokenVerifier;
  readonly #isRevoked: RevocationCheck;
  readonly #grantsCount: boolean;
  readonly #custom: AuthorizerOptions['custom'];

  constructor({ channels, verifier, isRevoked, tokens = true, custom }: AuthorizerOptions) {
    this.#channels = channels;
    this.#verifier = verifier;
    this.#isRevoked = isRevoked;
    this.#grantsCount = tokens;
    this.#custom = custom;
  }

  /** The first two steps, before any token is looked at: grammar and state. `undefined` means: go on. */
  async checkChannel(name: string): Promise<AccessDecision | undefined> {
    if (!isValidName(name)) return refuse('grammar', 'MSG_CHANNEL_INVALID', 'the channel name is invalid');
    const state = await this.#channels.stateOf(name);
    return state === 'open' ? undefined : refuseState(name, state);
  }

  /**
   * The remaining steps for a channel that is open: visibility, token, grants, revocation, and then the embedder's
   * authorizer.
   */
  async checkGrant(request: AccessRequest): Promise<AccessDecision> {
    const decision = await this.#checkToken(request);
    return this.#custom === undefined ? decision : this.#checkCustom(this.#custom, request, decision);
  }

  async #checkToken({ name, verb, credential }: AccessRequest): Promise<AccessDecision> {
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
    const verdict = this.#grantsCount
      ? evaluateGrants(token.grants, name, verb)
      : ({ allowed: false, by: 'none', pattern: undefined } as const);
    const rule = verdict.pattern === undefined ? '' : ` by ${verdict.pattern}`;
    if (verdict.by === 'deny-scope')
      return refuse(verdict.by, 'MSG_AUTH_DENIED', `${verb} is denied${rule}`, token);
    // Who is allowed by the embedder must not be revoked either.
    if ((verdict.allowed || this.#custom !== undefined) && (await this.#isRevoked(token)))
      return refuse('revoked', 'MSG_AUTH_DENIED', 'the token was revoked', token);
    if (!verdict.allowed) return refuse('none', 'MSG_AUTH_DENIED', `the token does not grant ${verb}`, token);
    if (expired) return refuse('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    return allow(verdict.by, `${verb} is granted${rule}`, token);
  }

  /**
   * The authorizer may deny what stands, or give a right that no grant gives. It is not asked about a token that is
   * invalid, expired, revoked or denied by a scope: nothing it could answer lifts that.
   */
  async #checkCustom(
    custom: Pick<AuthorizerGuard, 'ask'>,
    { name, verb, principal }: AccessRequest,
    decision: AccessDecision,
  ): Promise<AccessDecision> {
    if (verb === 'manage' || (!decision.allowed && decision.by !== 'none')) return decision;
    const { token } = decision;
    const asked = principal ?? { user: token?.subject ?? '', clientId: '' };
    const answer = await custom.ask({ principal: asked, verb, channel: name, token: token?.claims });
    if (answer === undefined) return decision;
    if (answer !== 'allow') return refuse('authorizer', 'MSG_AUTH_DENIED', answer.deny, token);
    if (decision.allowed) return decision;
    if (token !== null && this.#verifier.isExpired(token))
      return refuse('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    return allow('authorizer', `${verb} is allowed by the authorizer`, token);
  }

  /**
   * What would decide about a request, and the state of its channel beside it: a rule that refuses is named also where
   * there is no such channel (messaging details 24.7). `manage` does not ask for an open channel: the RPC it opens reopens
   * and inspects closed ones.
   */
  async explain(request: AccessRequest): Promise<{
    readonly decision: AccessDecision;
    /** `undefined` for a name without record, and for an invalid one. */
    readonly state: ChannelState | undefined;
  }> {
    const { name, verb } = request;
    const closed = await this.checkChannel(name);
    if (closed?.by === 'grammar') return { decision: closed, state: undefined };
    const state = await this.#channels.stateOf(name);
    const decision = await this.checkGrant(request);
    if (!decision.allowed || verb === 'manage' || closed === undefined) return { decision, state };
    const { code, detail, temporary } = closed;
    return { decision: { ...decision, allowed: false, code, detail, temporary }, state };
  }

  #verify(text: string): VerifiedToken | AccessDecision {
    try {
      return this.#verifier.verify('access', text);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      return refuse('token', error.code, error.message);
    }
  }
}
