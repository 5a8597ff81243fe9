import type { KeySet } from '../auth/keys/key-set.ts';
import { sendJson, sendText } from './answer.ts';
import type { Route } from './router.ts';

/** How long clients may cache the keys: a rotated key is known to them after this time. */
const MAX_AGE_SECONDS = 300;

/**
 * `GET /msg/jwks.json`: the public keys of the keyring, with which others verify tokens (RFC 7517). 404 for a keyring of
 * secrets only. Source: messaging details, section 22.
 */
export function jwksRoute(keySet: () => KeySet): Route {
  return {
    path: '/msg/jwks.json',
    browser: false,
    methods: {
      GET(context) {
        const keys = keySet().keys.flatMap(({ id, material }) =>
          material.publicJwk === undefined
            ? []
            : [{ ...material.publicJwk, kid: id, alg: material.alg, use: 'sig' }],
        );
        if (keys.length === 0) return sendText(context, 404, 'not found');
        sendJson(context, 200, { keys }, { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` });
      },
    },
  };
}
