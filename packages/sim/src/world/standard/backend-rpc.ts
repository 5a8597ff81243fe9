import { createRpcClient, type RpcClient } from '@msg/core';
import { NODE_HOST, NODE_PORT } from '../node.ts';
import { rpcFetch } from '../rpc-fetch.ts';

/** The key of the backends in the service. */
export const BACKEND_KEY = 'key-of-the-publishers-in-the-simulation';

/** How long one call may take. */
const CALL_MS = 6000;

/** The RPC of the service, through the load balancer: a connection leads to any node. */
export function backendRpc(): RpcClient {
  return createRpcClient({
    server: `http://${NODE_HOST}:${NODE_PORT}`,
    token: BACKEND_KEY,
    fetch: rpcFetch(),
    signal: () => AbortSignal.timeout(CALL_MS),
  });
}
