import type { Credentials } from '@msg/core';
import type { TokenPair } from './issuer.ts';

/** A pair in the spelling of the RPC, which the browser client accepts. `name` is empty without a channel. */
export function credentialsOf(name: string, pair: TokenPair): Credentials {
  return {
    name,
    access_token: pair.accessToken,
    refresh_token: pair.refreshToken,
    access_expires_unix: pair.accessExpiresUnix,
    refresh_expires_unix: pair.refreshExpiresUnix,
  };
}
