import type { MaybePromise } from '@msg/foundation/promises';
import type { SubsystemState } from '../stores/subsystem-state.ts';
import { sendJson, sendText } from './answer.ts';
import type { Route } from './router.ts';

/** Whether the service works, and the state of its parts. */
interface Readiness {
  readonly ready: boolean;
  readonly subsystems: Readonly<Record<string, SubsystemState>>;
}

export interface Health {
  /** Whether the process has started, whatever it depends on. */
  isAlive(): boolean;
  /** Whether clients are served correctly now. */
  readiness(): MaybePromise<Readiness>;
}

/** `/healthz` and `/readyz` (messaging details, section 11). */
export function healthRoutes(health: Health): readonly Route[] {
  return [
    {
      path: '/healthz',
      browser: false,
      methods: {
        GET(context) {
          const alive = health.isAlive();
          sendText(context, alive ? 200 : 503, alive ? 'ok' : 'starting');
        },
      },
    },
    {
      path: '/readyz',
      browser: false,
      methods: {
        async GET(context) {
          const state = await health.readiness();
          sendJson(context, state.ready ? 200 : 503, state, { 'cache-control': 'no-store' });
        },
      },
    },
  ];
}
