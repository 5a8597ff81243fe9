import { SinkFailure } from './failure.ts';

/** The error of a delivery that its caller, or the end of the service, aborted. */
export function cancelled(): SinkFailure {
  return new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', 'the delivery was cancelled');
}

/**
 * Settles with the work, or rejects when the signal is aborted first, so that work which ignores signals does not block.
 * `reason` makes that error; default {@link cancelled}.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = cancelled,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(reason());
    const settled = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(settled);
  });
}
