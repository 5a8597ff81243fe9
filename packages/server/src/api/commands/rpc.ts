import { JsonSource } from '@msg/foundation/json';
import { type ApiCommand, NOTHING } from '../command.ts';
import { ApiError, badRequest } from '../errors.ts';
import { textOf } from '../members.ts';

/**
 * Answers the command `rpc` of the HTTP API: `params` is the JSON text of the request's member, empty without it; the answer
 * is a value that JSON can hold, or undefined for none.
 */
export type ApiRpc = (call: { readonly method: string; readonly params: string }) => unknown;

/** The command that the embedder answers. */
export function rpcCommand(apiRpc: ApiRpc | undefined): ApiCommand {
  return async (members, { rights }) => {
    const method = textOf(members, 'method');
    if (method === '') badRequest('method is required');
    await rights.requireService();
    if (apiRpc === undefined) throw new ApiError(104, 'the service has no apiRpc');
    const { params } = members;
    const text =
      params instanceof JsonSource ? params.text : params === undefined ? '' : JSON.stringify(params);
    const answer = JSON.stringify(await apiRpc({ method, params: text }));
    return answer === undefined ? NOTHING : `{"data":${answer}}`;
  };
}
