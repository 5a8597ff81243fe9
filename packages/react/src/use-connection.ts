import { useSyncExternalStore } from 'react';
import type { Connection } from './client-store.ts';
import { useStore } from './provider.ts';

export type { Connection };

const ON_THE_SERVER: Connection = { state: 'idle', reason: '', attempt: 0, nextRetryMs: undefined };

/** Where the connection is, which attempt failed, and in how many milliseconds the next one comes. */
export function useConnection(): Connection {
  const { subscribe, connection } = useStore();
  return useSyncExternalStore(subscribe, connection, () => ON_THE_SERVER);
}
