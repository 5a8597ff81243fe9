import type { RpcResponse } from '@msg/core';
import type { JSX } from 'preact';
import { State } from './basics.tsx';

type NodeRow = RpcResponse<'ListNodes'>['nodes'][number];

/** Sends to a sink over all nodes: since each started, and in the last minute. */
export interface Attempts {
  readonly success: number;
  readonly failure: number;
  readonly recentSuccess: number;
  readonly recentFailure: number;
}

const NO_ATTEMPTS: Attempts = { success: 0, failure: 0, recentSuccess: 0, recentFailure: 0 };

/** The sum over the nodes. */
export function attemptsOf(nodes: readonly NodeRow[], name: string): Attempts {
  return nodes
    .flatMap(({ sinks }) => sinks.filter(({ sink }) => sink === name))
    .reduce(
      (sum, { success, failure, recent_success: good, recent_failure: bad }) => ({
        success: sum.success + success,
        failure: sum.failure + failure,
        recentSuccess: sum.recentSuccess + good,
        recentFailure: sum.recentFailure + bad,
      }),
      NO_ATTEMPTS,
    );
}

/** How a sink was in the last minute; failing by the rule of the alert: more than half of the sends. */
export function SinkState({ of: { recentSuccess, recentFailure } }: { readonly of: Attempts }): JSX.Element {
  if (recentSuccess + recentFailure === 0) return <State tone="off">Idle</State>;
  if (recentFailure > recentSuccess) return <State tone="bad">Failing</State>;
  return recentFailure > 0 ? <State tone="warn">Some fail</State> : <State tone="ok">Fine</State>;
}
