import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { RedisServer } from '@msg/testkit/redis';
import { measureInTurns } from './comparison.ts';
import { printQuantity } from './report.ts';

const KIB = 1024;
const LENGTHS = [1000, 1_000_000];
/** Appends and publishes that are under way at the same time, each in a channel of its own. */
const CHANNELS = 64;
/** Of the text at which the bytes on the wire are counted. */
const WIRE_BYTES = 256 * KIB;
const WIRE_FLUSHES = 200;
const TOKEN = 'tok1';

interface Cost {
  readonly nodeUs: number;
  readonly scriptUs: number;
}

const NODE = { name: 'µs CPU of the node per operation', of: ({ nodeUs }: Cost) => nodeUs, digits: 1 };
const SCRIPT = { name: 'µs in the script', of: ({ scriptUs }: Cost) => scriptUs, digits: 1 };

/** Appends through Redis against publishes of 64 bytes: in the node, in the script and on the wire between nodes. */
export async function compareOnRedis(pairs: number, operations: number): Promise<void> {
  const redis = await RedisServer.start();
  const store = await openRedis({ address: redis.address });
  const node = await clusteredNode(store);
  try {
    const scripts: number[] = [];
    for (const length of LENGTHS) {
      console.log(
        `append of a token of four bytes to ${length} bytes on Redis, against a clustered publish of 64 bytes`,
      );
      const bench = new RedisBench(redis, node, operations, length);
      await bench.open();
      const measured = await measureInTurns(
        pairs,
        () => bench.appends(),
        () => bench.publishes(),
      );
      printQuantity(measured, 'publish', { ...NODE, wanted: '≤ 1.2' });
      printQuantity(measured, 'publish', { ...SCRIPT, wanted: '≤ 1.5' });
      scripts.push(
        measured.map(({ engine }) => engine.scriptUs).sort((a, b) => a - b)[measured.length >> 1] ?? 0,
      );
      await bench.end();
    }
    const ratio = Math.max(...scripts) / Math.min(...scripts);
    console.log(`  the script at both lengths: ratio ${ratio.toFixed(2)} over ${pairs} rounds, wanted ≤ 1.5`);
    await countWire(redis, node);
  } finally {
    await node.shutdown({ graceMs: 0 });
    store.close();
    await redis.stop();
  }
}

async function clusteredNode(store: RedisStore): Promise<RealtimeNode> {
  const append = { maxBytes: 4_194_304, orphanMs: 3_600_000, windowMs: 0 };
  const stream = { size: 100, ttlMs: 300_000 };
  const policy = {
    connect: () => ({ user: '' }),
    streamOptions: (channel: string) => (channel.startsWith('publish') ? stream : { ...stream, append }),
  };
  const node = new RealtimeNode({ policy, ...redisBackends([store]) });
  await node.start();
  return node;
}

let messages = 0;

/** One length of text in many channels. */
class RedisBench {
  readonly #redis: RedisServer;
  readonly #node: RealtimeNode;
  readonly #operations: number;
  readonly #length: number;
  readonly #message = `m${++messages}`;
  readonly #next = new Array<number>(CHANNELS).fill(1);

  constructor(redis: RedisServer, node: RealtimeNode, operations: number, length: number) {
    this.#redis = redis;
    this.#node = node;
    this.#operations = operations;
    this.#length = length;
  }

  async open(): Promise<void> {
    const text = 'x'.repeat(this.#length);
    for (let channel = 0; channel < CHANNELS; channel++) await this.#append(channel, text);
  }

  async end(): Promise<void> {
    for (let channel = 0; channel < CHANNELS; channel++) {
      const seq = this.#next[channel] as number;
      const end = { message: this.#message, producer: 'p', seq, ops: [{ status: 'complete' as const }] };
      await this.#node.append(`append.${channel}`, end);
    }
  }

  appends(): Promise<Cost> {
    return this.#measure(channel => this.#append(channel, TOKEN));
  }

  publishes(): Promise<Cost> {
    const data = Buffer.from(JSON.stringify({ data: 'x'.repeat(53) }));
    return this.#measure(async channel => this.#node.publish(`publish.${channel}`, data));
  }

  #append(channel: number, text: string): Promise<unknown> {
    const seq = this.#next[channel] as number;
    this.#next[channel] = seq + 1;
    const request = { message: this.#message, producer: 'p', seq, ops: [{ text }] };
    return this.#node.append(`append.${channel}`, request);
  }

  async #measure(operation: (channel: number) => Promise<unknown>): Promise<Cost> {
    await this.#redis.command('CONFIG', 'RESETSTAT');
    const rounds = Math.ceil(this.#operations / CHANNELS);
    const begun = process.cpuUsage();
    await Promise.all(
      Array.from({ length: CHANNELS }, async (_, channel) => {
        for (let round = 0; round < rounds; round++) await operation(channel);
      }),
    );
    const { user, system } = process.cpuUsage(begun);
    const stats = String(await this.#redis.command('INFO', 'commandstats'));
    const scriptUs = Number(/cmdstat_evalsha:.*usec_per_call=([\d.]+)/.exec(stats)?.[1]);
    return { nodeUs: (user + system) / (rounds * CHANNELS), scriptUs };
  }
}

/** What a flush costs on the way between nodes, beside what was added. */
async function countWire(redis: RedisServer, node: RealtimeNode): Promise<void> {
  const store = await openRedis({ address: redis.address });
  let bytes = 0;
  const subscriptions = store.subscriptions('bench.probe', {
    message: (_channel, message) => {
      bytes += message.length;
    },
    restored: () => {},
  });
  await subscriptions.start();
  await subscriptions.subscribe('msg:b:1.client.wire');
  const append = (seq: number, text: string): Promise<unknown> =>
    node.append('wire', { message: 'answer-1', producer: 'p', seq, ops: [{ text }] });
  await append(1, 'x'.repeat(WIRE_BYTES));
  await settled(() => bytes > WIRE_BYTES);
  bytes = 0;
  for (let seq = 2; seq < WIRE_FLUSHES + 2; seq++) await append(seq, TOKEN);
  await settled(() => bytes >= WIRE_FLUSHES * TOKEN.length);
  const perFlush = bytes / WIRE_FLUSHES - TOKEN.length;
  console.log(
    `  bytes between nodes per flush at ${WIRE_BYTES / KIB} KiB of text, beside what was added: ` +
      `ratio ${perFlush.toFixed(1)} over ${WIRE_FLUSHES} flushes, wanted ≤ 120`,
  );
  subscriptions.close();
  store.close();
}

async function settled(isDone: () => boolean): Promise<void> {
  while (!isDone()) await new Promise(resolve => setImmediate(resolve));
}
