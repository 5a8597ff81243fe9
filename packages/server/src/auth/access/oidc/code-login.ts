import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import { defined, isRecord } from '@msg/foundation/json';
import * as oidc from 'openid-client';
import type { VerifiedToken } from '../../tokens/claims.ts';
import { InvalidTokenError } from '../../tokens/invalid-token.ts';
import type { OidcBridge } from './bridge.ts';

/** Time limit of a request to the provider (messaging details, section 9). */
const PROVIDER_TIMEOUT_MS = 10_000;
/** How far the provider's clock may differ, seconds. */
const CLOCK_SKEW_S = 30;
/** The library's name for an answer outside the protocol, an HTTP 5xx for example. */
const NOT_OF_THE_PROTOCOL = 'OAUTH_RESPONSE_IS_NOT_CONFORM';

/** What the end of a sign-in is compared with. */
export interface LoginChecks {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
}

/** The address of the provider at which a sign-in begins, and what its end is compared with. */
export interface LoginBegin {
  readonly address: string;
  readonly checks: LoginChecks;
}

/** What the provider knows the console by. */
interface CodeClient {
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret: string;
  readonly scope: string;
}

export interface CodeLoginOptions {
  readonly bridge: Pick<OidcBridge, 'issuer' | 'verify'>;
  readonly client: CodeClient;
  /** Where browsers see the service. */
  readonly origin: URL;
  readonly fetch: typeof globalThis.fetch;
  readonly clock: Clock;
}

/** How operators sign in at the identity provider. */
export type OperatorLogin = Pick<CodeLogin, 'begin' | 'end'>;

/** Signs operators in at the identity provider: authorization code with PKCE. Source: console, section 4.2. */
export class CodeLogin {
  readonly #configuration: oidc.Configuration;
  readonly #bridge: CodeLoginOptions['bridge'];
  readonly #clientId: string;
  readonly #scope: string;
  /** Where the provider sends the browser back to. */
  readonly #back: string;

  private constructor(
    configuration: oidc.Configuration,
    bridge: CodeLoginOptions['bridge'],
    { clientId, scope, back }: { readonly clientId: string; readonly scope: string; readonly back: string },
  ) {
    this.#configuration = configuration;
    this.#bridge = bridge;
    this.#clientId = clientId;
    this.#scope = scope;
    this.#back = back;
  }

  /**
   * Discovers the provider.
   * @throws MsgError MSG_INVALID_ARGUMENT naming the setting, for a provider without the flow
   */
  static async open({ bridge, client, origin, fetch, clock }: CodeLoginOptions): Promise<CodeLogin> {
    const { clientId, clientSecret, scope } = client;
    const within: oidc.CustomFetch = (url, { body, signal: _ends, ...init }) =>
      fetch(url, {
        ...init,
        ...defined({ body: body as RequestInit['body'] }), // the library sends form data only
        signal: clock.deadline(PROVIDER_TIMEOUT_MS),
      });
    const authentication = clientSecret === '' ? oidc.None() : oidc.ClientSecretPost(clientSecret);
    const metadata = { [oidc.clockTolerance]: CLOCK_SKEW_S };
    const configuration = await oidc
      .discovery(new URL(bridge.issuer), clientId, metadata, authentication, {
        [oidc.customFetch]: within,
        // An `http:` issuer is a loopback address: the bridge checked it.
        execute: bridge.issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
      })
      .catch((cause: unknown) => {
        throw unusable(`the discovery of ${bridge.issuer} failed: ${messageOf(cause)}`, cause);
      });
    requireFlow(configuration.serverMetadata());
    const back = `${origin.href.replace(/\/$/, '')}/console/login/callback`;
    return new CodeLogin(configuration, bridge, { clientId, scope, back });
  }

  /** Where a sign-in begins. */
  async begin(): Promise<LoginBegin> {
    const checks = {
      state: oidc.randomState(),
      nonce: oidc.randomNonce(),
      verifier: oidc.randomPKCECodeVerifier(),
    };
    const address = oidc.buildAuthorizationUrl(this.#configuration, {
      redirect_uri: this.#back,
      scope: this.#scope,
      response_mode: 'query',
      state: checks.state,
      nonce: checks.nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(checks.verifier),
      code_challenge_method: 'S256',
    });
    return { address: address.href, checks };
  }

  /**
   * The management bearer of the provider's answer, whose tokens are dropped. `search` is the query that the browser came
   * back with.
   * @throws MsgError with the cause as text and a reason: `state`, `provider`, `unreachable`, `answer`
   */
  async end(search: string, { state, nonce, verifier }: LoginChecks): Promise<VerifiedToken> {
    const back = new URL(this.#back);
    back.search = search;
    const [answered, ...others] = back.searchParams.getAll('state');
    if (answered !== state || others.length > 0)
      throw denied('state', 'the answer belongs to another sign-in than the one that this browser began');
    try {
      const answer = await oidc.authorizationCodeGrant(this.#configuration, back, {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      });
      const token = await this.#bridge.verify(answer.id_token ?? '', this.#clientId);
      if (token === undefined) throw denied('answer', 'the ID token names another issuer');
      return token;
    } catch (error) {
      throw loginError(error);
    }
  }
}

function unusable(problem: string, cause?: unknown): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `console.oidc.client_id: ${problem}`, defined({ cause }));
}

function denied(reason: string, text: string, cause?: unknown): MsgError {
  return new MsgError('MSG_AUTH_DENIED', text, { reason, ...defined({ cause }) });
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming what the provider's discovery document lacks */
function requireFlow(metadata: Readonly<oidc.ServerMetadata>): void {
  const { issuer, code_challenge_methods_supported: methods = [] } = metadata;
  for (const name of ['authorization_endpoint', 'token_endpoint'] as const)
    if (metadata[name] === undefined) throw unusable(`${issuer} names no ${name}`);
  if (!methods.includes('S256'))
    throw unusable(`${issuer} does not name S256 in code_challenge_methods_supported`);
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown failure';
}

/** The coded error of a failure between the server and the provider. It quotes no token and no code. */
function loginError(error: unknown): MsgError {
  if (error instanceof InvalidTokenError)
    return denied('answer', `the ID token of the identity provider is refused: ${error.message}`, error);
  if (error instanceof MsgError) return error;
  if (error instanceof oidc.AuthorizationResponseError || error instanceof oidc.ResponseBodyError)
    return denied('provider', `the identity provider refused the sign-in: ${error.error}`, error);
  const isSilent = error instanceof TypeError || (error instanceof Error && error.name === 'TimeoutError');
  const code = isRecord(error) ? error['code'] : undefined;
  if (isSilent || code === NOT_OF_THE_PROTOCOL) {
    const text = 'the identity provider does not answer as it should';
    return new MsgError('MSG_BROKER_NOT_READY', text, { reason: 'unreachable', cause: error });
  }
  return denied('answer', `the answer of the identity provider is refused: ${messageOf(error)}`, error);
}
