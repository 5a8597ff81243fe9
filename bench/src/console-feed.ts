import { once } from 'node:events';
import type { RpcClient } from '@msg/core';
import { WebSocket } from 'ws';
import type { RpcServer } from './rpc-server.ts';
import { CHANNEL } from './servers/msg-rpc.ts';

/** A feed of the console, read as a page reads it. */
export interface Feed {
  readonly id: string;
  /** Bytes of its messages so far. */
  received(): number;
  close(): Promise<void>;
}

interface FeedSide {
  readonly rpc: RpcClient;
  readonly server: RpcServer;
}

/** Opens a feed and subscribes to it. Resolves when it is subscribed. */
export async function openFeed({ rpc, server }: FeedSide, topics: readonly string[]): Promise<Feed> {
  const { feed: id, channel, access_token: token } = await rpc.call('OpenFeed', { topics });
  const socket = new WebSocket(`ws://127.0.0.1:${server.port}/connection/websocket`);
  await once(socket, 'open');
  const commands = [
    { id: 1, connect: { token } },
    { id: 2, subscribe: { channel } },
  ];
  let bytes = 0;
  const subscribed = new Promise<void>((resolve, reject) => {
    socket.on('message', (data: Buffer) => {
      bytes += data.length;
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
    received: () => bytes,
    async close() {
      socket.terminate();
      await rpc.call('CloseFeed', { feed: id });
    },
  };
}

/** Opens what so many overviews show. */
export function openOverviews(side: FeedSide, count: number): Promise<readonly Feed[]> {
  return Promise.all(Array.from({ length: count }, () => openFeed(side, ['stats', 'hints'])));
}

/** Opens a tail of the channel. */
export async function openTail(side: FeedSide): Promise<readonly Feed[]> {
  const feed = await openFeed(side, []);
  await side.rpc.call('StartTail', { feed: feed.id, name: CHANNEL });
  return [feed];
}

/** Does work while feeds are open. */
export async function withFeeds<Result>(
  open: () => Promise<readonly Feed[]>,
  work: () => Promise<Result>,
): Promise<Result> {
  const feeds = await open();
  try {
    return await work();
  } finally {
    await Promise.all(feeds.map(feed => feed.close()));
  }
}
