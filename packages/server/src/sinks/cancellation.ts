import { SinkFailure } from './failure.ts';

/** What a delivery ends with that its caller, or the end of the service, cut off. */
export function cancelled(): SinkFailure {
  return new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', 'the delivery was cancelled');
}

/** Settles as the send does, or rejects when the signal is aborted first: a sink that ignores signals holds nothing up. */
export function unlessAborted(send: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const cut = () => reject(cancelled());
    const settled = () => signal.removeEventListener('abort', cut);
    signal.addEventListener('abort', cut, { once: true });
    if (signal.aborted) cut();
    send.then(resolve, reject).finally(settled);
  });
}
