// The engine under measurement: every channel is open, history as by default, published to from inside.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RealtimeNode, WebSocketTransport } from '@msg/engine';
import { serveQuestions } from '../pinned.ts';
import { CHANNEL, PAYLOAD } from './payload.ts';
import { cpuOfPublishing, type Question, settledRss } from './questions.ts';

const node = new RealtimeNode({
  version: 'bench',
  policy: {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream', compaction: true }),
    streamOptions: () => ({ size: 100, ttlMs: 300_000 }),
  },
});
await node.start();
const transport = new WebSocketTransport(node);
const server = createServer();
server.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head));
await new Promise<void>(resolve => server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, resolve));

serveQuestions<Question>(async question => {
  switch (question.kind) {
    case 'address':
      return { port: (server.address() as AddressInfo).port };
    case 'memory':
      return { rss: await settledRss() };
    case 'publish': {
      const before = node.stats().bytesOut;
      const cpuUs = await cpuOfPublishing(question, () => {
        for (let i = 0; i < question.perTick; i++) void node.publish(CHANNEL, PAYLOAD);
      });
      return { cpuUs, bytes: node.stats().bytesOut - before };
    }
  }
});
