import { hash, timingSafeEqual } from 'node:crypto';
import { bearerToken } from '../auth/access/bearer.ts';
import type { Metrics } from '../observability/metrics.ts';
import { send, sendText } from './answer.ts';
import type { Route } from './router.ts';

function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}

export const METRICS_PATH = '/metrics';

/**
 * `GET /metrics`, behind a bearer when `guard` is not empty; the comparison takes the same time for every wrong token.
 * Source: messaging details 11.3.
 */
export function metricsRoute(metrics: Metrics, guard: string): Route {
  const expected = digest(guard);
  return {
    path: METRICS_PATH,
    browser: false,
    methods: {
      async GET(context) {
        const token = bearerToken(context.request.headers.authorization) ?? '';
        if (guard !== '' && !timingSafeEqual(digest(token), expected)) {
          return sendText(context, 401, 'unauthorized', {
            'www-authenticate': 'Bearer realm="msg-metrics"',
          });
        }
        send(context, 200, metrics.contentType, await metrics.render());
      },
    },
  };
}
