// A load process: opens connections to one server and counts what they receive.
import { channelName } from '../channels.ts';
import { serveQuestions } from '../pinned.ts';
import { Connection } from './connection.ts';
import { Latencies } from './latencies.ts';
import type { LastChunk, LoadQuestion, OpenResult, Received } from './questions.ts';
import { SubscriberBytes } from './subscribe-request.ts';

const DEADLINE_MS = 20_000;
/** Nothing arrived for so long: everything has. */
const QUIET_MS = 300;

let connections: Connection[] = [];
const latencies = new Latencies();
let lastChunk = Buffer.alloc(0);

type Open = Extract<LoadQuestion, { kind: 'open' }>;

async function open({ port, from, count, concurrency, subscribing, stamped }: Open): Promise<OpenResult> {
  const bytes = subscribing === null ? null : new SubscriberBytes(subscribing);
  const first = connections.length;
  let begun = first;
  let reply = Buffer.alloc(0);
  const openNext = async (): Promise<void> => {
    while (begun < first + count) {
      const index = begun++;
      const connection = new Connection(port, from);
      connections[index] = connection;
      await connection.open();
      if (bytes !== null && subscribing !== null) {
        const channel = subscribing.channel ?? channelName(index % subscribing.channels);
        const { tokens = [] } = subscribing;
        const answer = await (bytes.overHttp
          ? connection.hold(bytes, channel)
          : connection.subscribe(bytes, channel, tokens[index % tokens.length]));
        if (index === 0) reply = Buffer.from(answer);
      }
      connection.count(bytes, observer(index, stamped));
    }
  };
  const start = performance.now();
  await Promise.all(Array.from({ length: concurrency }, openNext));
  return { wallMs: performance.now() - start, reply: reply.toString('base64') };
}

function observer(index: number, stamped: boolean): ((chunk: Buffer) => void) | null {
  const observe = stamped ? (chunk: Buffer) => latencies.observe(chunk) : null;
  if (index > 0) return observe;
  return chunk => {
    lastChunk = Buffer.from(chunk);
    observe?.(chunk);
  };
}

const total = (): number => connections.reduce((sum, { bytes }) => sum + bytes, 0);

/** Waits until nothing more arrives. */
async function settled(): Promise<Received> {
  for (let before = -1; before !== total(); ) {
    before = total();
    await new Promise(resolve => setTimeout(resolve, QUIET_MS));
  }
  return received(0);
}

/** Waits until so many bytes have arrived, or the deadline. */
async function received(atLeast: number): Promise<Received> {
  const deadline = performance.now() + DEADLINE_MS;
  while (total() < atLeast && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  let [least, most] = [Number.POSITIVE_INFINITY, 0];
  const answer = total();
  for (const connection of connections) {
    least = Math.min(least, connection.bytes);
    most = Math.max(most, connection.bytes);
    connection.bytes = 0;
  }
  return { total: answer, least, most };
}

serveQuestions<LoadQuestion>(question => {
  switch (question.kind) {
    case 'open':
      return open(question);
    case 'received':
      return received(question.atLeast);
    case 'settled':
      return settled();
    case 'lastChunk':
      return { bytes: lastChunk.toString('base64') } satisfies LastChunk;
    case 'latencies':
      return latencies.take();
    case 'reset':
      for (const connection of connections) connection.reset();
      connections = [];
      return {};
  }
});
