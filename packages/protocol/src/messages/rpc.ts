import { bytes, str } from '../schema/field.ts';
import { MessageType } from '../schema/message-type.ts';

/** A call of the application (client protocol 7.10). */
export interface RpcRequest {
  readonly data: Uint8Array | null;
  /** May be empty. */
  readonly method: string;
}

/** The reply to a call of the application. */
export interface RpcResult {
  readonly data: Uint8Array | null;
}

/** An asynchronous message to the application, never answered (client protocol 7.11). */
export interface SendRequest {
  readonly data: Uint8Array | null;
}

/** Has no members; not used by clients (client protocol 7.12). */
export type PingRequest = Record<never, never>;

/** Has no members. */
export type PingResult = Record<never, never>;

export const rpcRequestType: MessageType<RpcRequest> = new MessageType<RpcRequest>(
  'RPCRequest',
  () => ({ data: null, method: '' }),
  () => ({ data: bytes(1), method: str(2) }),
);

export const rpcResultType: MessageType<RpcResult> = new MessageType<RpcResult>(
  'RPCResult',
  () => ({ data: null }),
  () => ({ data: bytes(1) }),
);

export const sendRequestType: MessageType<SendRequest> = new MessageType<SendRequest>(
  'SendRequest',
  () => ({ data: null }),
  () => ({ data: bytes(1) }),
);

export const pingRequestType: MessageType<PingRequest> = new MessageType<PingRequest>(
  'PingRequest',
  () => ({}),
  () => ({}),
);

export const pingResultType: MessageType<PingResult> = new MessageType<PingResult>(
  'PingResult',
  () => ({}),
  () => ({}),
);
