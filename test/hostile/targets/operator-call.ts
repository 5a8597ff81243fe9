import type { OperatedTarget } from './target.ts';

/** The RPC of a service with a management bearer. */
export function operatorCall(url: string, token: string): OperatedTarget['call'] {
  return async (method, request) => {
    const response = await fetch(`${url}/twirp/msg.MsgService/${method}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(request),
    });
    if (!response.ok) throw new Error(`${method}: ${response.status} ${await response.text()}`);
    return response.json();
  };
}
