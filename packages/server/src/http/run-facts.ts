import type { ManifestPayload } from '@msg/core';
import type { MsgOptions } from '../service/options.ts';

/** What every thread of a process says alike of this run of the service. */
export interface RunFacts {
  /** New with every start. */
  readonly bootId: string;
  /** How many hold connections. */
  readonly threads: number;
  readonly dlqBackend: ManifestPayload['dlq_backend'];
}

/** @param options of the process: a thread's own stores lead to main */
export function runFacts(options: MsgOptions, run: Pick<RunFacts, 'bootId' | 'threads'>): RunFacts {
  const backend = options.redis === undefined ? 'memory' : 'redis';
  const isCustom = options.dlq !== undefined || options.stores !== undefined;
  return { ...run, dlqBackend: isCustom ? 'custom' : backend };
}
