import {
  createRpcClient,
  type MsgError,
  type RpcMethodName,
  type RpcRequest,
  type RpcResponse,
  type Sparse,
} from '@msg/core';
import { toMsgError } from '@msg/core/internal';
import { BASE } from '../app/address.ts';
import { OWN_HEADERS, refreshSession, sessionEnded, sessionTurn } from '../app/session.ts';

const client = createRpcClient<AbortSignal>({
  server: location.origin + BASE,
  fetch: (url, init) =>
    fetch(url, {
      ...init,
      headers: { ...init.headers, ...OWN_HEADERS },
      credentials: 'same-origin',
      // The end of a feed is said also by a page that is left.
      keepalive: url.endsWith('/CloseFeed'),
      redirect: 'error',
    }),
});

/** Calls a method with the session of this browser. @throws MsgError */
export async function call<M extends RpcMethodName>(
  name: M,
  request: Sparse<RpcRequest<M>>,
): Promise<RpcResponse<M>> {
  const turn = sessionTurn();
  try {
    return await client.call(name, request);
  } catch (error) {
    const failure: MsgError = toMsgError(error);
    if (failure.code === 'MSG_AUTH_EXPIRED') sessionEnded(failure.reason ?? 'session', turn);
    // The time of an unlocked session ran out.
    if (failure.reason === 'locked') await refreshSession().catch(() => {});
    throw failure;
  }
}
