import { once } from 'node:events';
import type { RpcClient } from '@msg/core';
import { WebSocket } from 'ws';
import type { RpcServer } from './rpc-server.ts';

/** A feed of the console, read as a page reads it. */
export interface Feed {
  readonly id: string;
  close(): Promise<void>;
}

/** Opens a feed and subscribes to it. Resolves when it is subscribed. */
export async function openFeed(
  { rpc, server }: { readonly rpc: RpcClient; readonly server: RpcServer },
  topics: readonly string[],
): Promise<Feed> {
  const { feed: id, channel, access_token: token } = await rpc.call('OpenFeed', { topics });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/connection/websocket`);
  await once(socket, 'open');
  const commands = [
    { id: 1, connect: { token } },
    { id: 2, subscribe: { channel } },
  ];
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      for (const line of data.toString().split('\n')) {
        const reply = JSON.parse(line) as { readonly id?: number; readonly error?: unknown };
        if (line === '{}') socket.send('{}');
        else if (reply.error !== undefined) reject(new Error(`the feed refused: ${line}`));
        else if (reply.id === 2) resolve();
      }
    });
  });
  socket.send(commands.map(command => JSON.stringify(command)).join('\n'));
  await subscribed;
  return {
    id,
    async close() {
      socket.terminate();
      await rpc.call('CloseFeed', { feed: id });
    },
  };
}
