import { connect, type LookupFunction, type Socket } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import { DashError } from '../../errors.ts';
import type { Origin } from './origin.ts';

/** How long until a connection stands, name and encryption included. */
export const CONNECT_MS = 3_000;

/** What sockets are opened with. */
export interface SocketTools {
  readonly clock: Clock;
  readonly lookup: LookupFunction;
}

/**
 * Opens a socket to a checked address and makes it ready, within 3 s in all.
 * @param prepare what happens before it can be used, such as encryption; it may answer another socket over it.
 * @throws DashError QUERY_HOST_FORBIDDEN, QUERY_TIMEOUT; what `prepare` throws; the error of the socket.
 */
export async function dialSocket(
  { clock, lookup }: SocketTools,
  { host, port }: Origin,
  prepare: (socket: Socket) => Promise<Socket>,
): Promise<Socket> {
  const socket = connect({ host, port, lookup });
  const late = clock.setTimeout(() => socket.destroy(notConnected()), CONNECT_MS);
  try {
    await onceOf(socket, 'connect');
    return await Promise.race([prepare(socket), failureOf(socket)]);
  } catch (error) {
    socket.destroy();
    throw error;
  } finally {
    clock.clearTimeout(late);
  }
}

/** What comes with an event; rejects when the socket fails or ends before it. */
export function onceOf(
  socket: Socket,
  event: 'connect' | 'secureConnect' | 'data' | 'close',
): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const closed = (): void => reject(new Error('the connection was closed'));
  socket.once(event, resolve).once('error', reject).once('close', closed);
  return promise.finally(() => socket.off(event, resolve).off('error', reject).off('close', closed));
}

function failureOf(socket: Socket): Promise<never> {
  return new Promise((_, reject) => {
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed')));
  });
}

function notConnected(): DashError {
  const message = `No connection within ${CONNECT_MS / 1_000} s.`;
  return new DashError('QUERY_TIMEOUT', message, { phase: 'connect' });
}
