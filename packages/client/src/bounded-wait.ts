import { MsgError } from '@msg/core';
import type { ConnectOptions } from './options.ts';
import { setTimer } from './platform.ts';

/**
 * Waits for a connection within the caller's limits. @throws the reason of the signal, MsgError MSG_BROKER_NOT_READY
 * after `timeoutMs`, and the error of `connecting`
 */
export function boundedWait(connecting: Promise<void>, { signal, timeoutMs }: ConnectOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(signal?.reason);
    const expire = (): void =>
      reject(new MsgError('MSG_BROKER_NOT_READY', `not connected in ${timeoutMs} ms, still trying`));
    const cancel = timeoutMs === undefined ? undefined : setTimer(timeoutMs, expire);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
    connecting.then(resolve, reject).finally(() => {
      cancel?.();
      signal?.removeEventListener('abort', abort);
    });
  });
}
