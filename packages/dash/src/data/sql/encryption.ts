import { isIP, type Socket } from 'node:net';
import { connect } from 'node:tls';
import { DashError } from '../../errors.ts';
import { onceOf } from '../dial/socket.ts';
import { isLoopback, type SqlAddress } from './address.ts';

/** Asks a PostgreSQL server for TLS: length and number of the request. */
const TLS_REQUEST = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);
const YES = 0x53;

/**
 * A socket to a database as its connection wants it: encrypted, or plain where it stays on the machine.
 * @throws DashError QUERY_FAILED; the error of TLS where certificate or name are not right.
 */
export async function encrypted(socket: Socket, { origin, encryption }: SqlAddress): Promise<Socket> {
  if (encryption === 'disable') {
    if (isLoopback(socket.remoteAddress ?? '')) return socket;
    throw failed('"ssl": "disable" is for a database on the same machine; use verify-full.');
  }
  socket.write(TLS_REQUEST);
  const answer = await onceOf(socket, 'data');
  // Anything behind the one byte did not come encrypted.
  if (!Buffer.isBuffer(answer) || answer.length !== 1 || answer[0] !== YES) {
    throw failed('The database has no TLS: turn it on there, or use "ssl": "disable" on the same machine.');
  }
  const { host } = origin;
  const name = isIP(host) === 0 ? { servername: host } : {};
  const secure = connect({ socket, host, ...name, rejectUnauthorized: encryption === 'verify-full' });
  await onceOf(secure, 'secureConnect');
  return secure;
}

function failed(message: string): DashError {
  return new DashError('QUERY_FAILED', message, { reason: 'tls' });
}
