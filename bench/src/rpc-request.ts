import type { RpcMethodName } from '@msg/core';
import { TWIRP_PREFIX } from '@msg/core/internal';

/** A request of a method as bytes. */
export function rpcRequest(method: RpcMethodName, token: string, message: object): Buffer {
  const body = JSON.stringify(message);
  const head = [
    `POST ${TWIRP_PREFIX}${method} HTTP/1.1`,
    'Host: 127.0.0.1',
    'Content-Type: application/json',
    `Authorization: Bearer ${token}`,
    `Content-Length: ${body.length}`,
  ];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}
