import { rpcRequest } from '../../rpc-request.ts';
import { SubscriberBytes } from '../subscribe-request.ts';
import type { Dialect } from './dialect.ts';

/** The client protocol over WebSocket; publications through the RPC, several as PublishMany. */
export function msg(token: string): Dialect {
  const bytes = new SubscriberBytes({ encoding: 'json', channels: 1, delta: false });
  const item = (name: string, payload: string) => ({
    name,
    data: Buffer.from(payload).toString('base64'),
    tags: {},
    idempotency_key: '',
  });
  return {
    subscribe: channel => [
      { send: bytes.upgrade, until: '\r\n\r\n' },
      { send: bytes.hello(channel), until: '"id":2,"subscribe":' },
    ],
    // Not the whole frame: a ping may stand in one with publications, which hold no empty object.
    ping: Buffer.from('{}'),
    pong: bytes.pong,
    publisher: [],
    publish(channel, payload, count) {
      if (count === 1) return rpcRequest('Publish', token, item(channel, payload));
      return rpcRequest('PublishMany', token, {
        items: Array.from({ length: count }, () => item(channel, payload)),
      });
    },
  };
}
