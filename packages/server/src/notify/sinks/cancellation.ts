import { SinkFailure } from './failure.ts';

/** What a delivery ends with that its caller, or the end of the service, cut off. */
export function cancelled(): SinkFailure {
  return new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', 'the delivery was cancelled');
}

/**
 * Settles as the work does, or rejects when the signal is aborted first: work that ignores signals holds nothing up.
 * `reason` makes the error of that; default {@link cancelled}.
 */
export function unlessAborted<T>(
  work: Promise<T>,
  signal: AbortSignal,
  reason: () => unknown = cancelled,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const cut = () => reject(reason());
    const settled = () => signal.removeEventListener('abort', cut);
    signal.addEventListener('abort', cut, { once: true });
    if (signal.aborted) cut();
    work.then(resolve, reject).finally(settled);
  });
}
