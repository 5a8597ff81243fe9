import { createRpcClient, type RpcClient } from '@msg/core';
import type { Actor } from '../../kernel/actor.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
import { rpcFetch } from '../rpc-fetch.ts';
import { servicePlace } from '../service-place.ts';

/** The key of the backends in the service. */
export const BACKEND_KEY = 'key-of-the-publishers-in-the-simulation';

/** How long one call may take. */
const CALL_MS = 6000;

/** The RPC of the service for a backend, through the load balancer: a connection leads to any node. */
export function backendRpc(kernel: WorldKernel, actor: Actor): RpcClient {
  return createRpcClient({
    server: `http://${servicePlace(kernel, actor)}`,
    token: BACKEND_KEY,
    fetch: rpcFetch(),
    signal: () => AbortSignal.timeout(CALL_MS),
  });
}
