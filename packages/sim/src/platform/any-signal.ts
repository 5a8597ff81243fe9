/**
 * `AbortSignal.any`. Node.js holds such a signal as long as it has a listener and has not aborted, also when the run of it is
 * over: here its sources alone hold it.
 */
export function anySignal(signals: Iterable<AbortSignal>): AbortSignal {
  const controller = new AbortController();
  for (const source of signals) {
    const abort = (): void => controller.abort(source.reason);
    if (source.aborted) abort();
    else source.addEventListener('abort', abort, { once: true });
  }
  return controller.signal;
}
