import { isValidName, type MethodAccess, type Role, type Verb } from '@msg/core';
import { coversRole, evaluateGrants } from '@msg/core/internal';
import { chain, isPromise, type MaybePromise } from '@msg/foundation/promises';
import type { ChannelManager } from '../../channels/manager.ts';
import type { ChannelState } from '../../channels/record.ts';
import type { VerifiedToken } from '../tokens/claims.ts';
import { InvalidTokenError } from '../tokens/invalid-token.ts';
import type { RevocationCheck } from '../tokens/revocation/contract.ts';
import type { TokenVerifier } from '../tokens/verifier.ts';
import { decideBearer, denyInvalidName, denyRole, PUBLIC_METHOD } from './bearer-rights.ts';
import type { AuthorizationAnswer, AuthorizerGuard } from './custom-authorizer.ts';
import { type AccessDecision, allow, deny, denyState } from './decision.ts';
import type { ClientPrincipal, Principal } from './principal.ts';

/** A client's request to use a verb on a channel. */
export interface ChannelRequest {
  readonly principal: ClientPrincipal;
  readonly verb: Verb;
  /** Name of the channel. */
  readonly resource: string;
}

/** An RPC caller's request to call a method. */
export interface MethodRequest {
  readonly principal: Principal;
  readonly method: MethodAccess;
  /** The role that a management bearer needs; absent: it was decided about before. */
  readonly role?: Role | undefined;
  /** The channel that the request names, for methods that take one. */
  readonly resource: string | undefined;
}

export interface AccessControlOptions {
  readonly channels: Pick<ChannelManager, 'stateOf'>;
  readonly verifier: Pick<TokenVerifier, 'verify' | 'isKeyLive' | 'isExpired'>;
  readonly isRevoked: RevocationCheck;
  /** False: grants of tokens give no rights, tokens only identify the user. Default true. */
  readonly tokens?: boolean;
  /** Viewers see payloads too. Default false. */
  readonly viewerPayloads?: boolean;
  /** The embedder's part of a decision. */
  readonly custom?: Pick<AuthorizerGuard, 'ask'>;
}

const WHOLE_SERVICE = allow('bearer', 'the bearer has no scopes: it may call every method');
const NO_GRANTS = { allowed: false, by: 'none', pattern: undefined } as const;

/**
 * The one decision about access: the RPC, the realtime policy, the debug stream and `explain` query it. Revocation and
 * the embedder's authorizer are steps of it. It returns a promise only when one of these waits. Source: the
 * specification, Authentication 5 to 8; messaging details 1.5, 6.4, 6.6, 6.7, 9, 24.8.
 */
export class AccessControl {
  readonly #channels: AccessControlOptions['channels'];
  readonly #verifier: AccessControlOptions['verifier'];
  readonly #isRevoked: RevocationCheck;
  readonly #grantsCount: boolean;
  readonly #viewerPayloads: boolean;
  readonly #custom: AccessControlOptions['custom'];

  constructor(options: AccessControlOptions) {
    const { channels, verifier, isRevoked, tokens = true, viewerPayloads = false, custom } = options;
    this.#channels = channels;
    this.#verifier = verifier;
    this.#isRevoked = isRevoked;
    this.#grantsCount = tokens;
    this.#viewerPayloads = viewerPayloads;
    this.#custom = custom;
  }

  /**
   * Decides about a method for an authenticated bearer, or about a verb for a client: visibility, token, grants,
   * revocation, authorizer. {@link decideState} decides about the channel's state.
   */
  decide(request: MethodRequest | ChannelRequest): MaybePromise<AccessDecision> {
    return 'method' in request ? this.#decideMethod(request) : this.#decideChannel(request);
  }

  /** Whether a caller sees payloads, messages and info of connections: everybody but viewers. */
  showsPayloads(principal: Principal): boolean {
    if (this.#viewerPayloads || principal.kind !== 'management') return true;
    return coversRole(principal.token.role, 'operator');
  }

  /** Decides by grammar and state of a channel, before the token is read. `undefined`: the channel is open. */
  decideState(name: string): MaybePromise<AccessDecision | undefined> {
    if (!isValidName(name)) return deny('grammar', 'MSG_CHANNEL_INVALID', 'the channel name is invalid');
    const state = this.#channels.stateOf(name);
    return isPromise(state) ? state.then(later => denyUnlessOpen(name, later)) : denyUnlessOpen(name, state);
  }

  #decideMethod({ principal, method, role, resource = '' }: MethodRequest): MaybePromise<AccessDecision> {
    if (principal.kind === 'anonymous') return PUBLIC_METHOD;
    const { kind, token } = principal;
    if (kind === 'management') {
      const denied = denyRole(token, role);
      if (denied !== undefined) return denied;
      return token.claims.scopes === undefined ? WHOLE_SERVICE : decideBearer(token, method, resource);
    }
    if (method.rule !== 'channel' || !method.accessToken)
      return deny('token', 'MSG_AUTH_DENIED', 'an access token does not open this method', token);
    return denyInvalidName(resource) ?? this.#decideToken(token, method.verb, resource);
  }

  #decideChannel(request: ChannelRequest): MaybePromise<AccessDecision> {
    const decision = this.#decideCredential(request);
    if (this.#custom === undefined) return decision;
    return isPromise(decision)
      ? decision.then(later => this.#askAuthorizer(request, later))
      : this.#askAuthorizer(request, decision);
  }

  #decideCredential({ principal, verb, resource }: ChannelRequest): MaybePromise<AccessDecision> {
    const { credential } = principal;
    if (verb === 'subscribe' && resource.startsWith('public:'))
      return allow('public', 'public channels need no token');
    if (credential.kind === 'none')
      return deny('none', 'MSG_AUTH_DENIED', `${verb} on ${resource} needs an access token`);
    if (credential.kind === 'verified') return this.#decideToken(credential.token, verb, resource);
    try {
      return this.#decideToken(this.#verifier.verify('access', credential.text), verb, resource);
    } catch (error) {
      if (!(error instanceof InvalidTokenError)) throw error;
      return deny('token', error.code, error.message);
    }
  }

  /** Decides by a verified access token: key, expiry, grants, revocation. */
  #decideToken(token: VerifiedToken, verb: Verb, name: string): MaybePromise<AccessDecision> {
    if (!this.#verifier.isKeyLive(token))
      return deny('token', 'MSG_AUTH_DENIED', 'the token is no longer valid', token);
    const isExpired = this.#verifier.isExpired(token);
    // A publish reports the expiry last, a subscribe first (messaging details 6.6 step 6, 6.7).
    if (isExpired && verb !== 'publish') return deny('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    const grant = this.#grantsCount ? evaluateGrants(token.grants, name, verb) : NO_GRANTS;
    const pattern = grant.pattern === undefined ? '' : ` by ${grant.pattern}`;
    if (grant.by === 'deny-scope')
      return deny('deny-scope', 'MSG_AUTH_DENIED', `${verb} is denied${pattern}`, token);
    let decision: AccessDecision;
    if (!grant.allowed)
      decision = deny('none', 'MSG_AUTH_DENIED', `the token does not grant ${verb} on ${name}`, token);
    else if (isExpired) decision = deny('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    else decision = allow(grant.by, `${verb} is granted${pattern}`, token);
    // A revoked token is denied even if the authorizer allows the request.
    return grant.allowed || this.#custom !== undefined ? this.#unlessRevoked(token, decision) : decision;
  }

  #unlessRevoked(token: VerifiedToken, decision: AccessDecision): MaybePromise<AccessDecision> {
    const isRevoked = this.#isRevoked(token);
    if (isPromise(isRevoked)) return isRevoked.then(later => (later ? denyRevoked(token) : decision));
    return isRevoked ? denyRevoked(token) : decision;
  }

  /**
   * The authorizer may deny an allowed request, or give a right that no grant gives. It is not called for a token that is
   * invalid, expired, revoked or denied by a scope: it cannot lift these denials.
   */
  #askAuthorizer(request: ChannelRequest, decision: AccessDecision): MaybePromise<AccessDecision> {
    const { principal, verb, resource } = request;
    if (this.#custom === undefined || verb === 'manage') return decision;
    if (!decision.allowed && decision.rule !== 'none') return decision;
    const { token } = decision;
    const { user = token?.subject ?? '', clientId = '' } = principal;
    const answer = this.#custom.ask({
      principal: { user, clientId },
      verb,
      channel: resource,
      token: token?.claims,
    });
    return chain(answer, later => this.#applyAnswer(later, verb, decision));
  }

  #applyAnswer(answer: AuthorizationAnswer, verb: Verb, decision: AccessDecision): AccessDecision {
    const { token } = decision;
    if (answer === undefined) return decision;
    if (answer !== 'allow') return deny('authorizer', 'MSG_AUTH_DENIED', answer.deny, token);
    if (decision.allowed) return decision;
    if (token !== null && this.#verifier.isExpired(token))
      return deny('token', 'MSG_AUTH_EXPIRED', 'token expired', token);
    return allow('authorizer', `${verb} is allowed by the authorizer`, token);
  }

  /**
   * The decision about a request, and the state of its channel: a denying rule is named even for a channel that does not
   * exist (messaging details 24.7). `manage` needs no open channel: its RPC methods reopen and inspect closed ones.
   */
  async explain(request: ChannelRequest): Promise<{
    readonly decision: AccessDecision;
    /** `undefined` for a name without record, and for an invalid one. */
    readonly state: ChannelState | undefined;
  }> {
    const { verb, resource } = request;
    const closed = await this.decideState(resource);
    if (closed?.rule === 'grammar') return { decision: closed, state: undefined };
    const state = await this.#channels.stateOf(resource);
    const decision = await this.decide(request);
    if (!decision.allowed || verb === 'manage' || closed === undefined) return { decision, state };
    const { code, detail, temporary } = closed;
    return { decision: { ...decision, allowed: false, code, detail, temporary }, state };
  }
}

function denyUnlessOpen(name: string, state: ChannelState | undefined): AccessDecision | undefined {
  return state === 'open' ? undefined : denyState(name, state);
}

function denyRevoked(token: VerifiedToken): AccessDecision {
  return deny('revoked', 'MSG_AUTH_DENIED', 'the token was revoked', token);
}
