import { useSyncExternalStore } from 'react';
import type { Connection } from './client-store.ts';
import { useStore } from './provider.ts';

export type { Connection };

const ON_THE_SERVER: Connection = { state: 'idle', reason: '', attempt: 0, nextRetryMs: undefined };

/** The state of the connection, the number of failed attempts, and the milliseconds to the next one. */
export function useConnection(): Connection {
  const { subscribe, connection } = useStore();
  return useSyncExternalStore(subscribe, connection, () => ON_THE_SERVER);
}
