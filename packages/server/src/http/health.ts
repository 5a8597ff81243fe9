import { sendJson, sendText } from './answer.ts';
import type { Route } from './router.ts';

/** Whether the service can do its work, and which part of it cannot. */
export interface Readiness {
  readonly ready: boolean;
  readonly subsystems: Readonly<Record<string, { readonly ok: boolean; readonly detail?: string }>>;
}

/** `/healthz` and `/readyz` (messaging details, section 11). */
export function healthRoutes(readiness: () => Readiness): readonly Route[] {
  return [
    {
      path: '/healthz',
      browser: false,
      methods: {
        GET(exchange) {
          const { ready } = readiness();
          sendText(exchange, ready ? 200 : 503, ready ? 'ok' : 'starting');
        },
      },
    },
    {
      path: '/readyz',
      browser: false,
      methods: {
        GET(exchange) {
          const state = readiness();
          sendJson(exchange, state.ready ? 200 : 503, state);
        },
      },
    },
  ];
}
