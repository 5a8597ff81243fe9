import type { IncomingMessage } from 'node:http';
import type { Principal } from '../auth/access/principal.ts';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import { InvalidTokenError } from '../auth/tokens/invalid-token.ts';

export interface ApiAuthenticationOptions {
  readonly apiKeys: Pick<ApiKeys, 'check'>;
  /** No key is required: development only. */
  readonly off: boolean;
  /** A key is also read from the query. */
  readonly allowQueryKey: boolean;
}

const ANONYMOUS: Principal = { kind: 'anonymous' };

/**
 * Finds the caller by the key in `X-API-Key`, else in `Authorization: apikey <key>`, else, where that is allowed, in the
 * query. Only the first key that is present counts. Management bearers and access tokens are not accepted here.
 */
export class ApiAuthentication {
  readonly #options: ApiAuthenticationOptions;

  constructor(options: ApiAuthenticationOptions) {
    this.#options = options;
  }

  /** @throws InvalidTokenError, 401 */
  authenticate(request: IncomingMessage): Principal {
    const { apiKeys, off } = this.#options;
    if (off) return ANONYMOUS;
    const key = this.#keyOf(request);
    if (key === undefined) throw new InvalidTokenError('MSG_AUTH_MISSING', undefined, true);
    const bearer = apiKeys.check(key);
    if (bearer instanceof InvalidTokenError) throw bearer;
    return { kind: 'management', token: bearer };
  }

  #keyOf({ headers, url = '' }: IncomingMessage): string | undefined {
    const header = headers['x-api-key'];
    if (typeof header === 'string' && header !== '') return header;
    const authorization = /^apikey +([^ \t]+) *$/i.exec(headers.authorization ?? '')?.[1];
    if (authorization !== undefined) return authorization;
    const query = url.indexOf('?');
    if (!this.#options.allowQueryKey || query < 0) return undefined;
    return new URLSearchParams(url.slice(query)).get('api_key') || undefined;
  }
}
