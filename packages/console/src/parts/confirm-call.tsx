import type { RpcMethodName, RpcRequest, RpcResponse, Sparse } from '@msg/core';
import type { JSX } from 'preact';
import { call } from '../rpc/client.ts';
import { Confirm, type ConfirmProps, say } from './act.tsx';

/** Asks before one call of a method, and says afterwards what it did. */
export function ConfirmCall<M extends RpcMethodName>({
  method,
  request,
  done,
  onDone,
  ...asked
}: Omit<ConfirmProps, 'act' | 'staysOpen'> & {
  readonly method: M;
  readonly request: Sparse<RpcRequest<M>>;
  readonly done: string | ((answer: RpcResponse<M>) => string);
  readonly onDone: () => void;
}): JSX.Element {
  const act = async (): Promise<void> => {
    const answer = await call(method, request);
    say(typeof done === 'string' ? done : done(answer));
    onDone();
  };
  return <Confirm {...asked} act={act} />;
}
