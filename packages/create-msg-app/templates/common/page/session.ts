import { MsgClient } from '@msg/client';

/** A client that asks the backend for its credentials, now and whenever they can be renewed no more. */
export function createClient(query = ''): MsgClient {
  return new MsgClient({
    endpoint: location.origin,
    getCredentials: async () => {
      const response = await fetch(`/session${query}`, { method: 'POST' });
      if (!response.ok) throw new Error(`the backend answered ${response.status}`);
      return response.json();
    },
  });
}
