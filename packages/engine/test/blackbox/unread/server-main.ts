import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import {
  HttpStreamTransport,
  type NodeOptions,
  RealtimeNode,
  SseTransport,
  WebSocketTransport,
} from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis } from '@msg/redis';
import { OPEN_POLICY } from '../../harness.ts';
import { CHANNELS, TEXT_BYTES } from './channels.ts';

// A node in a process of its own, so that its memory can be measured. Argument: the address of a store, or nothing.
// Fills the channels, then writes its origin. Peers that take nothing are not cut, so that what they hold adds up.
const address = process.argv[2];
const backends: Partial<NodeOptions> =
  address === undefined ? {} : redisBackends([await openRedis({ address })], { onError: console.error });
const node = new RealtimeNode({
  onError: console.error,
  ...backends,
  policy: {
    ...OPEN_POLICY,
    subscribe: () => ({ recovery: 'stream', delta: true, tagsFilter: true }),
    streamOptions: () => ({ size: 100_000, ttlMs: 3_600_000 }),
  },
  limits: { writeStallMs: 3_600_000, queueBytes: 1_048_576, pingMs: 0, historyItems: 0 },
});
await node.start();
// Text that does not repeat itself, so that it neither compresses nor patches well.
let state = 1;
const letter = (): string => {
  state = (state * 48_271) % 2_147_483_647;
  return (state % 36).toString(36);
};
const text = Array.from({ length: TEXT_BYTES }, letter).join('');
async function published(...publish: Parameters<RealtimeNode['publish']>): Promise<boolean> {
  try {
    await node.publish(...publish);
    return true;
  } catch {
    return false;
  }
}
for (const { name, count, bytes } of CHANNELS) {
  for (let i = 0; i < count; i++) {
    const data = JSON.stringify({ i, text: text.slice(i * bytes, (i + 1) * bytes) });
    const options = { tags: new Map([['parity', String(i % 2)]]), idempotencyKey: String(i) };
    // A busy machine may miss a deadline of the store.
    while (!(await published(name, Buffer.from(data), options)));
  }
}
const websocket = new WebSocketTransport(node, { compression: true });
const streams = { '/http_stream': new HttpStreamTransport(node), '/sse': new SseTransport(node) };
const server = createServer((request, response) => {
  const path = request.url?.split('?', 1)[0] as keyof typeof streams;
  void streams[path].handle(request, response);
});
server.on('upgrade', (request, socket, head) => websocket.handleUpgrade(request, socket, head));
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
// A line on the standard input is answered with the counters; `collect` frees first what nobody holds.
createInterface({ input: process.stdin }).on('line', line => {
  if (line === 'collect') globalThis.gc?.();
  process.stdout.write(`${JSON.stringify(node.stats())}\n`);
});
process.stdin.on('end', () => process.exit(0));
