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
  /** Made once, outside of components. */
  readonly client: MsgClient;
  readonly children?: ReactNode;
}

const MsgContext = createContext<MsgClient | undefined>(undefined);

/**
 * Gives a client to the hooks below. It connects a client that was not connected yet when it is shown, which a server
 * that renders the page never does; closing the connection is left to the application.
 */
export function MsgProvider({ client, children }: MsgProviderProps): ReactElement {
  useEffect(() => {
    // A failure is an event of the client: `state`, and `terminal` when nothing helps.
    if (client.state === 'idle') client.connect().catch(() => {});
  }, [client]);
  return createElement(MsgContext.Provider, { value: client }, children);
}

/** The client of the nearest {@link MsgProvider}. @throws MsgError MSG_INVALID_ARGUMENT outside of one */
export function useMsg(): MsgClient {
  const client = useContext(MsgContext);
  if (client === undefined) {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'a hook of @msg/react must be called below <MsgProvider>');
  }
  return client;
}

/** What the hooks share of one client. */
export function useStore(): ClientStore {
  return storeOf(useMsg());
}
