// What comes from PUB/SUB in place of the states of an append stream: the node lives, says so, and reads the store again.
import { RealtimeNode } from '@msg/engine';
import { redisBackends } from '@msg/engine/redis';
import { systemClock } from '@msg/foundation/clock';
import { openRedis, type RedisStore } from '@msg/redis';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { prepareAppend } from '#src/append/prepare.ts';
import { appendArguments, appendResult } from '#src/broker/redis/appends/requests.ts';
import { APPEND, textsOf } from '#src/broker/redis/appends/scripts.ts';
import { ChannelKeyNames } from '#src/broker/redis/keys.ts';
import { AppendReader } from '../model/append/reader.ts';
import { recording } from '../model/append/recorder.ts';
import { Truth, type WrittenMessage } from '../model/append/truth.ts';
import { Prng } from '../model/prng.ts';

const TEST_MS = 120_000;
const SEED = Number(process.env['MSG_SEED'] ?? Date.now() % 2 ** 31);
const PREFIX = 'hostile';
const KEYS = new ChannelKeyNames(PREFIX, { cluster: false });
const RUNS = 300;
/** Checks of positions are spread over a second. */
const HEALED_MS = 10_000;
const STREAM = { size: 8, ttlMs: 60_000, append: { maxBytes: 1_000_000, orphanMs: 60_000, windowMs: 0 } };

let redis: RedisServer;
let store: RedisStore;
let node: RealtimeNode;
let probe: ReturnType<RedisServer['client']>;
let readers: AppendReader[];
let errors: string[];
let violations: string[];
let truth: Truth;
let message: WrittenMessage;
let states: Buffer[];
/** What did not come from the store: damaged twice it could be true again, with another offset. */
let planted: Set<string>;

beforeEach(async () => {
  redis = await RedisServer.start();
  store = await openRedis({ address: redis.address });
  [errors, violations, states] = [[], [], []];
  planted = new Set();
  const report = (text: string): void => void violations.push(text);
  const onError = (error: unknown): void => void errors.push(String(error));
  const { broker, presence, control } = redisBackends([store], { prefix: PREFIX, onError });
  truth = new Truth();
  node = new RealtimeNode({
    broker: recording(broker, truth, report),
    presence,
    control,
    onError,
    limits: { pingMs: 0, positionCheckMs: 3_600_000, positionRecheckMs: 20 },
    policy: {
      connect: () => ({ user: '' }),
      subscribe: () => ({ recovery: 'stream', delta: true }),
      streamOptions: () => STREAM,
    },
  });
  await node.start();
  probe = redis.client();
  await probe.subscribe(KEYS.messages('c'));
  probe.on('messageBuffer', (_channel: Buffer, bytes: Buffer) => {
    if (!planted.has(bytes.toString('latin1'))) states.push(bytes);
  });
  message = { id: 'm', ops: [], status: 'streaming', producer: 'p', shown: 0 };
  truth.messages.set('m', message);
  readers = [true, false].map(delta => {
    const reader = new AppendReader(`delta ${delta}`, { encoding: 'json', delta }, node, truth, report, true);
    reader.connect();
    return reader;
  });
  await eventually('they listen', () => readers.every(({ position }) => position.epoch !== ''));
  await append('<first>');
  await append('<second>');
  await whole();
}, TEST_MS);
afterEach(async () => {
  probe.disconnect();
  await node.shutdown({ graceMs: 0 });
  store.close();
  await redis.stop();
}, TEST_MS);

const written = (): string => message.ops.join('');

function publish(bytes: Buffer): Promise<unknown> {
  planted.add(bytes.toString('latin1'));
  return store.call('PUBLISH', KEYS.messages('c'), bytes);
}

function request(text: string) {
  message.ops.push(text);
  return { message: 'm', producer: 'p', seq: message.ops.length, ops: [{ text }] };
}

/** What a node does not hear of stands in the stream all the same. */
function stored(epoch: string, offset: number): void {
  truth.note(epoch, offset, { kind: 'state', message, text: written(), final: false });
}

async function append(text: string): Promise<void> {
  const { offset, epoch } = await node.append('c', request(text));
  stored(epoch, offset);
}

/** Stores a state that no node hears of. */
async function appendUnheard(text: string): Promise<void> {
  const prepared = prepareAppend(request(text));
  const context = { options: STREAM, now: systemClock.now(), epoch: 'never', command: 'PUBLISH' };
  const args = appendArguments(prepared, { ...context, messages: 'nobody' });
  const keys = [KEYS.stream('c'), KEYS.meta('c'), ...KEYS.appends('c')];
  const { result } = appendResult(textsOf(await store.run(APPEND, keys, args)));
  stored(result.epoch, result.offset);
}

async function whole(): Promise<void> {
  const isWhole = (reader: AppendReader): boolean =>
    reader.compareAll() === null && reader.texts.get('m')?.text === written();
  await eventually(
    `all readers have ${written().slice(-40)}`,
    () => violations.length > 0 || readers.every(isWhole),
    HEALED_MS,
  );
  expect(violations).toEqual([]);
}

/** A state with bytes that are gone, changed or new; never one that another node could have sent. */
function damaged(random: Prng, state: Buffer): Buffer {
  const at = random.below(state.length);
  const kind = random.below(4);
  if (kind === 0) return state.subarray(0, Math.max(5, at));
  if (kind === 1) return Buffer.concat([state, Buffer.from([random.below(256)])]);
  if (kind === 2) return Buffer.concat([Buffer.from('__a1:'), randomBytes(random)]);
  return Buffer.concat([state.subarray(0, 5), Buffer.from(state.subarray(5)).reverse()]);
}

function randomBytes(random: Prng): Buffer {
  const digits = ':0123456789toc';
  const one = (): number =>
    random.chance(70) ? digits.charCodeAt(random.below(digits.length)) : random.below(256);
  return Buffer.from(Array.from({ length: random.between(0, 60) }, one));
}

describe(`states that cannot be read, seed ${SEED}`, { timeout: TEST_MS }, () => {
  it('between the others change nothing for the readers, and each is reported', async () => {
    const random = new Prng(SEED);
    for (let run = 0; run < RUNS; run++) {
      await publish(damaged(random, random.pick(states)));
      if (random.chance(30)) await append(`<${run}>`);
    }
    await whole();
    expect(errors.length).toBeGreaterThan(RUNS / 2);
    expect(new Set(errors)).toEqual(new Set(['Error: a message between nodes for c could not be read']));
  });

  it('in place of a true one are made good by a read of the store, without another state', async () => {
    await append('<heard>');
    await whole();
    await appendUnheard('<unheard>');
    await publish((states.at(-1) as Buffer).subarray(0, -1));
    await whole();
    expect(errors).toEqual(['Error: a message between nodes for c could not be read']);
    // The copy is true again.
    await append('<after>');
    await whole();
    expect(errors.length).toBe(1);
  });

  it('that were lost are made good by the next one, and the copy that missed them is counted', async () => {
    await append('<heard>');
    await whole();
    const { mirrorDrops } = node.stats();
    await appendUnheard('<unheard>');
    await append('<next>');
    await whole();
    expect(node.stats().mirrorDrops).toBe(mirrorDrops + 1);
    expect(errors).toEqual([]);
  });
});
