import type { KeySet } from '../auth/keys/ring.ts';
import { sendJson, sendText } from './answer.ts';
import type { Route } from './router.ts';

/** A rotated key is known to those who keep the answer after this long at most. */
const MAX_AGE_SECONDS = 300;

/**
 * `GET /msg/jwks.json`: the public keys that verify tokens, so that others can do it too (RFC 7517). A ring that has
 * none, because its keys are secrets, has no such route. Source: messaging details, section 22.
 */
export function jwksRoute(ring: () => KeySet): Route {
  return {
    path: '/msg/jwks.json',
    browser: false,
    methods: {
      GET(exchange) {
        const keys = ring().keys.flatMap(({ id, material }) =>
          material.publicJwk === undefined
            ? []
            : [{ ...material.publicJwk, kid: id, alg: material.alg, use: 'sig' }],
        );
        if (keys.length === 0) return sendText(exchange, 404, 'not found');
        sendJson(exchange, 200, { keys }, { 'cache-control': `public, max-age=${MAX_AGE_SECONDS}` });
      },
    },
  };
}
