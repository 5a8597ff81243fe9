// What a flush costs between the node, Redis and other nodes does not depend on the text that is there.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { StateReader } from '../append/state-reader.ts';

const SHORT = 1000;
const LONG = 256 * 1024;
const FLUSHES = 50;
const TOKEN = 'tok1';
/** On the PUB/SUB wire, beside what was added (append streams, 14). */
const ENVELOPE_BYTES = 120;

let redis: RedisServer;
const nodes: RealtimeNode[] = [];
const stores: RedisStore[] = [];

async function startNode(): Promise<RealtimeNode> {
  const store = await openRedis({ address: redis.address });
  stores.push(store);
  const append = { maxBytes: 1_048_576, orphanMs: 60_000, windowMs: 0 };
  const policy = {
    connect: () => ({ user: '' }),
    subscribe: () => ({ recovery: 'stream' as const, delta: true }),
    streamOptions: () => ({ size: 10, ttlMs: 60_000, append }),
  };
  const node = new RealtimeNode({ policy, ...redisBackends([store]), limits: { pingMs: 0 } });
  await node.start();
  nodes.push(node);
  return node;
}

beforeAll(async () => {
  redis = await RedisServer.start();
}, 60_000);
afterAll(async () => {
  await Promise.all(nodes.map(node => node.shutdown({ graceMs: 0 })));
  for (const store of stores) store.close();
  await redis.stop();
}, 60_000);

/** Bytes of the arguments of every command that one flush makes, by what ran it: the node, or its script. */
interface Flush {
  sent: number;
  stored: number;
  published: number;
}

type Command = readonly [source: string, args: readonly string[]];

/**
 * What runs on the server from now on, by MONITOR on a socket: a client library may take what comes at once behind the
 * first answer for answers to commands.
 */
async function watchCommands(): Promise<{ readonly commands: Command[]; stop(): void }> {
  const socket = connect(redis.port, redis.host);
  const lines = createInterface({ input: socket.setEncoding('latin1') });
  const commands: Command[] = [];
  const started = Promise.withResolvers<void>();
  lines.on('line', line => {
    if (line === '+OK') started.resolve();
    const [, source, args] = /^\+\S+ \[\d+ (\S+)\] "(.*)"$/.exec(line) ?? [];
    if (source !== undefined && args !== undefined) commands.push([source, args.split('" "')]);
  });
  socket.on('error', started.reject);
  socket.write('MONITOR\r\n');
  await started.promise;
  return { commands, stop: () => socket.destroy() };
}

async function flushes(writer: RealtimeNode, reader: StateReader, length: number): Promise<Flush[]> {
  const message = `m${length}`;
  const text = 'x'.repeat(length);
  const append = (seq: number, added: string) =>
    writer.append('c', { message, producer: 'p', seq, ops: [{ text: added }] });
  await append(1, text);
  await append(2, TOKEN);
  const monitor = await watchCommands();
  const { commands } = monitor;
  for (let seq = 3; seq < FLUSHES + 3; seq++) await append(seq, TOKEN);
  const isPublish = ([, args]: Command): boolean => args[0]?.toLowerCase() === 'publish';
  await eventually('all flushes are seen', () => commands.filter(isPublish).length === FLUSHES);
  const whole = text + TOKEN.repeat(FLUSHES + 1);
  await eventually('the reader of the other node has all of it', () => reader.texts.at(-1) === whole);
  monitor.stop();
  const seq = FLUSHES + 3;
  await writer.append('c', { message, producer: 'p', seq, ops: [{ status: 'complete' }] });
  return flushesOf(commands);
}

/** Every script of the node begins a flush; what it runs follows. */
function flushesOf(commands: readonly Command[]): Flush[] {
  const all: Flush[] = [];
  for (const [source, args] of commands) {
    const bytes = args.reduce((sum, arg) => sum + Buffer.byteLength(arg, 'latin1'), 0);
    const name = args[0]?.toLowerCase();
    if (name === 'evalsha') all.push({ sent: bytes, stored: 0, published: 0 });
    const flush = all.at(-1);
    if (source !== 'lua' || flush === undefined) continue;
    if (name === 'publish') flush.published += Buffer.byteLength(args[2] ?? '', 'latin1');
    else flush.stored += bytes;
  }
  return all.filter(({ published }) => published > 0);
}

it('a flush sends, stores and publishes no text that was there, and at most 120 bytes beside what it adds', async () => {
  const [writer, other] = [await startNode(), await startNode()];
  const reader = new StateReader(other, 'json', true);
  const [short, long] = [await flushes(writer, reader, SHORT), await flushes(writer, reader, LONG)];
  expect([short.length, long.length]).toEqual([FLUSHES, FLUSHES]);
  const most = (of: readonly Flush[], what: keyof Flush) => Math.max(...of.map(flush => flush[what]));
  console.log(
    `bytes of a flush at ${SHORT} and at ${LONG} bytes of text: ${JSON.stringify([short[9], long[9]])}`,
  );
  expect(most(long, 'published')).toBeLessThanOrEqual(ENVELOPE_BYTES + TOKEN.length);
  // Longer numbers are all that a longer text costs.
  for (const what of ['sent', 'stored', 'published'] as const)
    expect(most(long, what) - most(short, what), what).toBeLessThanOrEqual(32);
}, 60_000);
