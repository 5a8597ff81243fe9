// The load: raw sockets that count bytes. To the engine they are subscribed WebSocket clients.
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { serveQuestions } from '../pinned.ts';
import { CHANNEL } from './payload.ts';

export type LoadQuestion =
  | { readonly kind: 'open'; readonly port: number; readonly count: number; readonly subscribe: boolean }
  | { readonly kind: 'received'; readonly port: number; readonly atLeast: number };

const PING = Buffer.from([0x81, 2, 0x7b, 0x7d]);
const received = new Map<number, number>();

/** A masked text frame, as clients send them (RFC 6455, 5.3). The mask is zero. */
function clientFrame(text: string): Buffer {
  const payload = Buffer.from(text);
  const header =
    payload.length < 126
      ? Buffer.from([0x81, 0x80 | payload.length, 0, 0, 0, 0])
      : Buffer.from([0x81, 0x80 | 126, payload.length >> 8, payload.length & 0xff, 0, 0, 0, 0]);
  return Buffer.concat([header, payload]);
}

const PONG = clientFrame('{}');
const HELLO = clientFrame(`{"id":1,"connect":{}}\n{"id":2,"subscribe":{"channel":"${CHANNEL}"}}`);

function count(socket: Socket, port: number): void {
  socket.on('data', (chunk: Buffer) => {
    received.set(port, (received.get(port) ?? 0) + chunk.length);
    if (chunk.length >= 4 && (chunk.subarray(-4).equals(PING) || chunk.subarray(0, 4).equals(PING))) {
      socket.write(PONG);
    }
  });
}

/** Resolves when the connection is subscribed (or, to the baseline, open). */
async function open(port: number, subscribe: boolean): Promise<void> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  socket.on('error', error => {
    throw error;
  });
  await new Promise<void>(resolve => socket.once('connect', () => resolve()));
  if (subscribe) {
    const key = randomBytes(16).toString('base64');
    socket.write(
      `GET /connection/websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
    );
    await until(socket, '\r\n\r\n');
    socket.write(HELLO);
    await until(socket, '"subscribe":{');
  }
  count(socket, port);
}

async function until(socket: Socket, text: string): Promise<void> {
  let seen = '';
  await new Promise<void>(resolve => {
    const read = (chunk: Buffer): void => {
      seen += chunk.toString('latin1');
      if (!seen.includes(text)) return;
      socket.off('data', read);
      resolve();
    };
    socket.on('data', read);
  });
}

serveQuestions<LoadQuestion>(async question => {
  if (question.kind === 'open') {
    const { port, subscribe } = question;
    for (let left = question.count; left > 0; left -= 100) {
      await Promise.all(Array.from({ length: Math.min(100, left) }, () => open(port, subscribe)));
    }
    return { opened: question.count };
  }
  const deadline = Date.now() + 20_000;
  const bytes = (): number => received.get(question.port) ?? 0;
  while (bytes() < question.atLeast && Date.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  const total = bytes();
  received.set(question.port, 0);
  return { bytes: total };
});
