import type { Clock } from '@msg/foundation/clock';

/** Waits on a clock. Returns false when a signal ended the wait or was already aborted. */
export function pause(clock: Clock, ms: number, ...signals: readonly AbortSignal[]): Promise<boolean> {
  return new Promise(resolve => {
    const end = (waited: boolean) => {
      clock.clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', onAbort);
      resolve(waited);
    };
    const onAbort = () => end(false);
    const timer = clock.setTimeout(() => end(true), ms);
    for (const signal of signals) signal.addEventListener('abort', onAbort);
    if (signals.some(signal => signal.aborted)) onAbort();
  });
}
