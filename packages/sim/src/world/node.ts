import { createServer } from 'node:http';
import type { Random } from '@msg/foundation/clock';
import { Msg, type MsgOptions } from '@msg/server';
import type { Actor } from '../kernel/actor.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { networkOf } from '../net/network.ts';

export const NODE_HOST = 'node';
export const NODE_PORT = 8000;

interface NodePlace {
  /** Default: {@link NODE_HOST}. */
  readonly host?: string;
  /** Ends its service: it takes no connections any more and drains. */
  readonly signal?: AbortSignal;
  /** Called when its service has ended, also one that could not start. */
  readonly ended?: (error?: unknown) => void;
}

/** Starts a real service of the actor that runs, on the simulated network. */
export async function startNode(
  kernel: Kernel,
  actor: Actor,
  options: MsgOptions,
  { host = NODE_HOST, signal = new AbortController().signal, ended }: NodePlace = {},
): Promise<Msg> {
  const msg = await Msg.create({
    ...options,
    random: randomOf(actor),
    clientScript: false,
    processMetrics: false,
  });
  const running = msg.run(signal);
  if (ended !== undefined) void running.then(() => ended(), ended);
  await msg.ready();
  const handle = msg.handler();
  const server = createServer((request, response) => {
    response.sendDate = false; // Node.js reads the real clock for it
    handle(request, response);
  });
  msg.attach(server);
  const close = networkOf(kernel).listen(host, NODE_PORT, socket => server.emit('connection', socket));
  signal.addEventListener('abort', close);
  return msg;
}

/** Chance of one node. The default takes bytes from a pool that all nodes of the process would share. */
export function randomOf(actor: Actor): Random {
  const stream = actor.stream('random');
  return {
    fraction: () => stream.fraction(),
    bytes: length => stream.bytes(length),
    uuid: () => stream.uuid(),
  };
}
