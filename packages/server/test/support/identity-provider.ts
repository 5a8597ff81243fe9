import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose';
import { Provider } from 'oidc-provider';
import { vi } from 'vitest';

export const CLIENT_ID = 'msg-ops';
export const CLIENT_SECRET = 'the secret of a confidential client';
export const CONFIDENTIAL_CLIENT = 'msg-confidential';
/** The console: authorization code with PKCE. */
export const CONSOLE_CLIENT = 'msg-console';

/** Accounts of the provider: subject to groups. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  ada: ['msg-admins'],
  rob: ['msg-readers', 'everybody'],
  nil: [],
};

interface ProviderKey {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

async function generateKey(kid: string, alg = 'RS256'): Promise<ProviderKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, privateKey, jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' } };
}

/** A real OpenID provider in this process. */
export interface IdentityProvider {
  readonly issuer: string;
  /** How often the key set was fetched. */
  keyFetches(): number;
  /** Signs an ID token with the provider's key; members can be replaced, `undefined` removes one. */
  idToken(claims?: Readonly<Record<string, unknown>>): Promise<string>;
  /** Replaces the provider's signing key by another one. */
  rotateKey(alg?: string): Promise<void>;
  /** From now on every request fails with HTTP 503, or works again. */
  setDown(down: boolean): void;
  stop(): Promise<void>;
}

function createProvider(issuer: string, key: ProviderKey, backs: readonly string[]): Provider {
  return new Provider(issuer, {
    jwks: { keys: [key.jwk] },
    cookies: { keys: ['a secret of the tests'] },
    conformIdTokenClaims: false,
    claims: { openid: ['sub'], email: ['email'], profile: ['name'], groups: ['groups'] },
    features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true } },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, email: `${subject}@example.com`, groups: [...(GROUPS[subject] ?? [])] }),
    }),
    clients: [
      {
        client_id: CLIENT_ID,
        token_endpoint_auth_method: 'none',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
        response_types: [],
        redirect_uris: [],
      },
      {
        client_id: CONFIDENTIAL_CLIENT,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['urn:ietf:params:oauth:grant-type:device_code'],
        response_types: [],
        redirect_uris: [],
      },
      {
        client_id: CONSOLE_CLIENT,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: 'client_secret_post',
        grant_types: ['authorization_code'],
        response_types: ['code'],
        redirect_uris: [...backs],
      },
    ],
  });
}

export interface IdentityProviderOptions {
  /** Name of the machine in the issuer; default `127.0.0.1`. Another name is another site for a browser. */
  readonly host?: string;
  /** Where {@link CONSOLE_CLIENT} may send browsers back to. */
  readonly backs?: readonly string[];
}

/** Starts the provider on a free loopback port, plain http. */
export async function startIdentityProvider({
  host = '127.0.0.1',
  backs = ['http://127.0.0.1/back'],
}: IdentityProviderOptions = {}): Promise<IdentityProvider> {
  // The provider tells at every turn that it is not set up for production.
  const silenced = [vi.spyOn(console, 'info'), vi.spyOn(console, 'warn')].map(spy =>
    spy.mockImplementation(() => {}),
  );
  let listener: RequestListener = (_request, response) => response.end();
  let fetches = 0;
  let isDown = false;
  const server = createServer((request, response) => {
    if (request.url === '/jwks') fetches++;
    if (isDown) response.writeHead(503).end();
    else listener(request, response);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://${host}:${(server.address() as AddressInfo).port}`; // a bound TCP server
  let rotations = 0;
  let key = await generateKey('p-0');
  listener = createProvider(issuer, key, backs).callback();
  return {
    issuer,
    keyFetches: () => fetches,
    async idToken(claims = {}) {
      const now = Math.floor(Date.now() / 1000);
      const all = { iss: issuer, aud: CLIENT_ID, sub: 'ada', iat: now, exp: now + 600, ...claims };
      return new SignJWT(all)
        .setProtectedHeader({ alg: key.jwk.alg ?? 'RS256', kid: key.kid })
        .sign(key.privateKey);
    },
    async rotateKey(alg) {
      rotations++;
      key = await generateKey(`p-${rotations}`, alg);
      listener = createProvider(issuer, key, backs).callback();
    },
    setDown(down) {
      isDown = down;
    },
    async stop() {
      for (const spy of silenced) spy.mockRestore();
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
