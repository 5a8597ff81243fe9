// A broker that is one of several on a Redis store: every channel is open, published to from inside. Arguments: the
// store's address, the key prefix.
import { createServer } from 'node:http';
import { RealtimeNode, WebSocketTransport } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis } from '@msg/redis';
import { channelName } from '../channels.ts';
import { serveQuestions } from '../pinned.ts';
import { listen } from './listen.ts';
import { answerAboutServer } from './own-usage.ts';
import { payloads } from './payloads.ts';
import type { Flowed, FlowQuestion, ServerQuestion } from './questions.ts';

const [address = '', prefix = ''] = process.argv.slice(2);
const store = await openRedis({ address });
const node = new RealtimeNode({
  version: 'bench',
  limits: { pingMs: 0 },
  policy: {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream' }),
    streamOptions: () => ({ size: 1000, ttlMs: 300_000 }),
  },
  ...redisBackends([store], { prefix }),
});
await node.start();
const transport = new WebSocketTransport(node);
const server = createServer();
server.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head));
const port = await listen(server);

const [payload] = payloads('plain') as [Buffer];
let published = 0;
let timer: NodeJS.Timeout | undefined;
const underWay = new Set<Promise<unknown>>();

/** Publishes to one channel after the other. Stopped, it ends a round first: every channel got the same number. */
async function flow({ channels, everyMs }: FlowQuestion): Promise<Flowed> {
  clearInterval(timer);
  const publish = (): void => {
    const publishing = Promise.resolve(node.publish(channelName(published++ % channels), payload));
    underWay.add(publishing);
    void publishing.then(() => underWay.delete(publishing));
  };
  if (everyMs > 0) timer = setInterval(publish, everyMs);
  else {
    while (published % channels > 0) publish();
    await Promise.all(underWay);
  }
  return { perChannel: published / channels };
}

serveQuestions<ServerQuestion | FlowQuestion>(question => {
  if (question.kind === 'flow') return flow(question);
  return answerAboutServer(question, port, () => node.stats().connections);
});
