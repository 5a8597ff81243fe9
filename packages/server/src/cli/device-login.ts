import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import * as oidc from 'openid-client';

/** What a person needs to approve a login. */
interface LoginPrompt {
  readonly address: string;
  readonly code: string;
  /** The address with the code in it, when the provider offers one. */
  readonly completeAddress: string | undefined;
}

export interface DeviceLoginOptions {
  /** Checked: `https:`, or `http:` on this machine. */
  readonly issuer: string;
  readonly clientId: string;
  /** Empty: a public client. */
  readonly clientSecret: string;
  readonly scope: string;
  /** Time limit of the whole flow, milliseconds. */
  readonly timeout: number;
  readonly fetch: typeof globalThis.fetch;
  readonly onPrompt: (prompt: LoginPrompt) => void;
}

export interface LoginResult {
  readonly idToken: string;
  readonly subject: string | undefined;
  /** Unix milliseconds. */
  readonly expiresAt: number | undefined;
}

async function findProvider(options: DeviceLoginOptions, limit: AbortSignal): Promise<oidc.Configuration> {
  const { issuer, clientId, clientSecret, fetch } = options;
  const authentication = clientSecret === '' ? oidc.None() : oidc.ClientSecretPost(clientSecret);
  const fetchWithinLimit: oidc.CustomFetch = (url, { signal, body, ...init }) =>
    fetch(url, {
      ...init,
      ...defined({ body: body as RequestInit['body'] }), // the library sends form data only
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
    });
  return oidc.discovery(new URL(issuer), clientId, undefined, authentication, {
    [oidc.customFetch]: fetchWithinLimit,
    // An `http:` issuer is a loopback address: the options were checked.
    execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
  });
}

async function requestToken(options: DeviceLoginOptions, limit: AbortSignal): Promise<LoginResult> {
  const provider = await findProvider(options, limit);
  const device = await oidc.initiateDeviceAuthorization(provider, { scope: options.scope });
  options.onPrompt({
    address: device.verification_uri,
    code: device.user_code,
    completeAddress: device.verification_uri_complete,
  });
  const answer = await oidc.pollDeviceAuthorizationGrant(provider, device, undefined, { signal: limit });
  if (answer.id_token === undefined) {
    throw new MsgError('MSG_AUTH_DENIED', 'the identity provider gave no ID token; --scope must hold openid');
  }
  const claims = answer.claims();
  return {
    idToken: answer.id_token,
    subject: claims?.sub,
    expiresAt: claims === undefined ? undefined : claims.exp * 1000,
  };
}

function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError && error.message.includes('fetch failed');
}

/** Rejects at the end of the time limit: between two polls the library ignores the signal. */
function endOf(limit: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    limit.addEventListener('abort', () => reject(limit.reason), { once: true });
  });
}

function late(text: string): MsgError {
  return new MsgError('MSG_AUTH_EXPIRED', text, { situation: { name: 'loginLate' } });
}

/** The coded error of a failure between the command and the provider. */
function loginError(error: unknown, issuer: string, limit: AbortSignal): MsgError {
  if (error instanceof MsgError) return error;
  if (error instanceof oidc.ResponseBodyError) {
    if (error.error === 'expired_token') {
      return late('the code expired before the login was approved');
    }
    const text =
      error.error === 'access_denied' ? 'the login was denied' : `the login was refused: ${error.error}`;
    return new MsgError('MSG_AUTH_DENIED', text, { situation: { name: 'loginDenied' } });
  }
  if (limit.aborted) return late('the login was not approved in time');
  const causes = [error, error instanceof Error ? error.cause : undefined];
  if (causes.some(isNetworkFailure)) {
    return new MsgError('MSG_BROKER_NOT_READY', `no answer from ${issuer}`, { cause: error });
  }
  const problem = error instanceof Error ? error.message : 'unknown failure';
  return new MsgError('MSG_INVALID_ARGUMENT', `issuer: the login does not work with ${issuer}: ${problem}`, {
    cause: error,
  });
}

/**
 * Logs in with a device code (RFC 8628): shows address and code, and polls until the login is approved.
 * @throws MsgError MSG_AUTH_DENIED, MSG_AUTH_EXPIRED when the login was not approved in time, MSG_BROKER_NOT_READY when
 * the provider cannot be reached, MSG_INVALID_ARGUMENT when it is not an identity provider.
 */
export async function deviceLogin(options: DeviceLoginOptions): Promise<LoginResult> {
  const limit = AbortSignal.timeout(options.timeout);
  try {
    return await Promise.race([requestToken(options, limit), endOf(limit)]);
  } catch (error) {
    throw loginError(error, options.issuer, limit);
  }
}
