import { type MsgClient, MsgError } from '@msg/client';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useContext,
  useEffect,
} from 'react';
import { type ClientStore, storeOf } from './client-store.ts';

/** The client that components below the provider use. */
export interface MsgProviderProps {
  /** The client, which you create once, outside components. */
  readonly client: MsgClient;
  readonly children?: ReactNode;
}

const MsgContext = createContext<MsgClient | undefined>(undefined);

/**
 * Provides a client to the hooks below. It connects a client that is not connected yet, in the browser only. The
 * application closes the connection.
 */
export function MsgProvider({ client, children }: MsgProviderProps): ReactElement {
  useEffect(() => {
    // The client reports failures by its events `state` and `terminal`.
    if (client.state === 'idle') client.connect().catch(() => {});
  }, [client]);
  return createElement(MsgContext.Provider, { value: client }, children);
}

/** The client of the nearest {@link MsgProvider}. @throws MsgError MSG_INVALID_ARGUMENT without a provider */
export function useMsg(): MsgClient {
  const client = useContext(MsgContext);
  if (client === undefined) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'a hook of @msg/react must be called below <MsgProvider>');
  }
  return client;
}

/** The store that the hooks of one client share. */
export function useStore(): ClientStore {
  return storeOf(useMsg());
}
