import type { RpcMethodName, RpcRequest, RpcResponse } from '@msg/core';
import type { Principal } from '../auth/access/principal.ts';

/** The context of a call besides the request. */
export interface RpcCall {
  readonly principal: Principal;
  /** The caller's address, as in the access log. */
  readonly clientAddress: string;
}

/** One handler per method of core's table. */
export type RpcHandlers = {
  readonly [M in RpcMethodName]: (
    request: RpcRequest<M>,
    call: RpcCall,
  ) => RpcResponse<M> | Promise<RpcResponse<M>>;
};
