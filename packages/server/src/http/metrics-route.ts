import { hash, timingSafeEqual } from 'node:crypto';
import { bearerToken } from '../auth/access/bearer.ts';
import type { Metrics } from '../observability/metrics.ts';
import { send, sendText } from './answer.ts';
import type { Route } from './router.ts';

function digest(text: string): Buffer {
  return Buffer.from(hash('sha256', text, 'hex'), 'hex');
}

/** What the route answers. */
export type RenderedMetrics = Pick<Metrics, 'contentType' | 'render'>;

export const METRICS_PATH = '/metrics';
/** Headers of the answer without the bearer. */
export const METRICS_CHALLENGE = { 'www-authenticate': 'Bearer realm="msg-metrics"' } as const;

/** Whether the `Authorization` header has the bearer of metrics; the comparison takes the same time for every wrong token. */
export function metricsGuard(bearer: string): (authorization: string | undefined) => boolean {
  const expected = digest(bearer);
  return authorization =>
    bearer === '' || timingSafeEqual(digest(bearerToken(authorization) ?? ''), expected);
}

/**
 * `GET /metrics`, behind a bearer when `guard` is not empty.
 * Source: messaging details 11.3.
 */
export function metricsRoute(metrics: RenderedMetrics, guard: string): Route {
  const isAllowed = metricsGuard(guard);
  return {
    path: METRICS_PATH,
    browser: false,
    methods: {
      async GET(context) {
        if (!isAllowed(context.request.headers.authorization))
          return sendText(context, 401, 'unauthorized', METRICS_CHALLENGE);
        send(context, 200, metrics.contentType, await metrics.render());
      },
    },
  };
}
