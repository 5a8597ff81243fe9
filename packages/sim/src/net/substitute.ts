import net from 'node:net';
import { refuse, untilRun } from '../kernel/refuse.ts';
import { runningKernel } from '../kernel/running.ts';
import { networkOf } from './network.ts';
import { SimSocket } from './socket.ts';

interface ConnectOptions {
  readonly host?: string;
  readonly port?: number;
  readonly path?: string;
}

/** `node:net` over the network of the run. */
export function simNet(): object {
  const { isIP, isIPv4, isIPv6 } = net; // they look at texts alone
  const sockets = { Socket: SimSocket, connect, createConnection: connect };
  return { ...untilRun('net', net), isIP, isIPv4, isIPv6, ...sockets };
}

function connect(options: ConnectOptions | number, host?: unknown, callback?: unknown): SimSocket {
  const listener = [host, callback].find(value => typeof value === 'function') as (() => void) | undefined;
  const { port, path, ...rest } = typeof options === 'number' ? { port: options } : options;
  if (path !== undefined && path !== null) refuse('net.connect to a path');
  const name = 'host' in rest ? rest.host : typeof host === 'string' ? host : undefined;
  const socket = new SimSocket();
  if (listener !== undefined) socket.once('connect', listener);
  return networkOf(runningKernel('net.connect')).connect(socket, name ?? 'localhost', port ?? 0);
}
