import type { ClientInfo } from '@msg/client';
import { useCallback, useSyncExternalStore } from 'react';
import type { ClientStore } from './client-store.ts';
import { NO_CLIENTS, type PresenceState } from './presence-list.ts';
import { useStore } from './provider.ts';

/** A client of a channel: `client` is its connection, `user` its subject. */
export type PresenceClient = ClientInfo;
/** The result of `usePresence`. */
export type PresenceView = PresenceState;

function subscribe(store: ClientStore, name: string, notify: () => void): () => void {
  const channel = store.channel(name);
  const leave = channel.join({ publication() {}, changed() {} });
  const stopReading = channel.presence.read(notify);
  return () => {
    stopReading();
    leave();
  };
}

/**
 * The subscribers of a channel, updated by joins and leaves if the channel has them. Needs the channel option `presence`.
 */
export function usePresence(name: string): PresenceView {
  const store = useStore();
  return useSyncExternalStore(
    useCallback((notify: () => void) => subscribe(store, name, notify), [store, name]),
    () => store.find(name)?.presence.state ?? NO_CLIENTS,
    () => NO_CLIENTS,
  );
}
