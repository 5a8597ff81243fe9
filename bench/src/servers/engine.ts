// The engine under measurement: every channel is open, published to from inside. `--pings=off`: nothing but
// what is published is sent.
import { createServer } from 'node:http';
import { HttpStreamTransport, RealtimeNode, WebSocketTransport } from '@msg/engine';
import { channelName } from '../channels.ts';
import { serveQuestions } from '../pinned.ts';
import { stamped } from '../stamp.ts';
import { listen } from './listen.ts';
import { answerAboutServer } from './own-usage.ts';
import { payloads } from './payloads.ts';
import { publishLoop } from './publish-loop.ts';
import type { DeliveryQuestion, Measurement, Publishing } from './questions.ts';

const node = new RealtimeNode({
  version: 'bench',
  limits: process.argv.includes('--pings=off') ? { pingMs: 0 } : {},
  policy: {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream', compaction: true, delta: true }),
    streamOptions: () => ({ size: 100, ttlMs: 300_000 }),
  },
});
await node.start();
const transport = new WebSocketTransport(node);
const stream = new HttpStreamTransport(node);
const server = createServer((request, response) => void stream.handle(request, response));
server.on('upgrade', (request, socket, head) => transport.handleUpgrade(request, socket, head));
const port = await listen(server);

const all = { plain: payloads('plain'), similar: payloads('similar') };
let published = 0;

async function publish(plan: Publishing): Promise<Measurement> {
  const before = node.stats();
  const sequence = all[plan.payload];
  const options = { delta: plan.payload === 'similar' };
  const names = Array.from({ length: plan.channels }, (_, index) => channelName(index));
  const usage = await publishLoop(plan, first => {
    for (let i = 0; i < plan.perChannel; i++) {
      const data = sequence[published++ % sequence.length] as Buffer;
      for (let channel = first; channel < first + plan.channelsPerTick; channel++) {
        void node.publish(names[channel] as string, plan.stamped ? stamped(data) : data, options);
      }
    }
  });
  const after = node.stats();
  return {
    ...usage,
    deliveries: after.deliveries - before.deliveries,
    bytes: after.bytesOut - before.bytesOut,
  };
}

serveQuestions<DeliveryQuestion>(question => {
  if (question.kind === 'publish') return publish(question);
  return answerAboutServer(question, port, () => node.stats().connections);
});
