import { clientFrame, serverFrame, TEXT } from '../websocket.ts';
import type { Dialect, Step } from './dialect.ts';

const UPGRADE = Buffer.from(
  'GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\n' +
    'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
);
const text = (value: string): Buffer => clientFrame(TEXT, Buffer.from(value));
/** An event with its arguments (Socket.IO protocol 5, message 4, packet 2). */
const event = (...args: readonly unknown[]): Buffer => text(`42${JSON.stringify(args)}`);

/** Socket.IO over WebSocket: a room is joined, and published to, by an event. */
export function socketIo(): Dialect {
  const connected: readonly Step[] = [
    { send: UPGRADE, until: '0{"sid"' },
    { send: text('40'), until: '40{"sid"' },
  ];
  return {
    subscribe: room => [...connected, { send: event('join', room), until: '42["joined"]' }],
    ping: serverFrame(TEXT, Buffer.from('2')),
    pong: text('3'),
    publisher: connected,
    publish: (room, payload, count) =>
      Buffer.concat(Array.from({ length: count }, () => event('publish', room, JSON.parse(payload)))),
  };
}
