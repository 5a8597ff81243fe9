// Producers that die, are stopped or replaced, with requests, cancels and readers on different nodes.
import { setTimeout as pause } from 'node:timers/promises';
import { type AppendWriter, appendStream, createRpcClient, resumeStream } from '@msg/core';
import { eventually } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterNode, startNodes } from '../../../support/cluster.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { scrape } from '../../../support/scrape.ts';
import { closeClients, stockClient } from '../../../support/stock-client.ts';
import { AppendingProcess } from './appending-process.ts';
import { appendingArguments } from './configuration.ts';
import { Reader } from './readers.ts';

const TEST_MS = 180_000;
const ORPHAN_MS = 5000;
/** Every node looks through the open messages every 15 to 30 s. */
const SWEPT_MS = ORPHAN_MS + 30_000 + 15_000;
/** A producer hears of a cancel before its time to end the message is over. */
const HEARD_MS = 4000;

const CHAT = 'public:grow.chat.7';
const ANSWER = `${CHAT}.r1`;

let redis: RedisServer;
let nodes: ClusterNode[] = [];
const readers: Reader[] = [];
const producers: AppendingProcess[] = [];

beforeEach(async () => {
  redis = await RedisServer.start();
}, TEST_MS);
afterEach(async () => {
  closeClients();
  for (const reader of readers.splice(0)) reader.close();
  await Promise.all(producers.splice(0).map(producer => producer.kill()));
  await Promise.all(nodes.splice(0).map(node => node.stop()));
  await redis.stop();
}, TEST_MS);

async function start(count: number): Promise<void> {
  const args = await appendingArguments(await temporaryFolder());
  nodes = await startNodes(count, redis.address, 'grow', { args });
}

const nodeAt = (index: number): ClusterNode => nodes[index] as ClusterNode;
const clientOf = (...at: number[]) =>
  createRpcClient<AbortSignal>({ server: at.map(index => nodeAt(index).url), token: nodeAt(0).token, fetch });

/** One reader of a channel on each of these nodes: with patches and without. */
async function read(channel: string, at: readonly number[], written: () => string): Promise<Reader[]> {
  const added = at.map((index, n) => new Reader([nodeAt(index).websocketUrl], channel, n % 2 === 0, written));
  readers.push(...added);
  await Promise.all(added.map(reader => reader.ready()));
  return added;
}

/** Messages that were ended so, on all nodes that run. */
async function endedBy(reason: string): Promise<number> {
  const scrapes = await Promise.all(nodes.map(({ url }) => scrape(url)));
  return scrapes.reduce((sum, each) => sum + each.value('msg_append_ended_total', { reason }), 0);
}

async function stateOf(channel: string): Promise<Record<string, unknown>> {
  return (await nodeAt(0).rpc('AppendState', { name: channel })).body;
}

/** The newest documents of the history, and nothing else is there. */
async function historyOf(channel: string): Promise<unknown[]> {
  const client = stockClient(nodeAt(0).websocketUrl);
  client.connect();
  const subscription = client.newSubscription(channel);
  subscription.subscribe();
  await subscription.ready(20_000);
  const { publications } = await subscription.history({ limit: 100 });
  return publications.map(({ data }) => data);
}

function aborted({ signal }: AppendWriter): Promise<{ readonly ms: number; readonly reason: unknown }> {
  const begun = performance.now();
  return new Promise(resolve => {
    const heard = (): void => resolve({ ms: performance.now() - begun, reason: signal.reason });
    if (signal.aborted) heard();
    else signal.addEventListener('abort', heard);
  });
}

function expectWhole(): void {
  expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
}

describe('a producer on two nodes', { timeout: TEST_MS }, () => {
  it('that is dead is ended as orphaned exactly once, with readers and without, also with its node; a living one never', async () => {
    await start(3);
    const append = (node: number, channel: string): AppendingProcess => {
      const flags = ['--message', 'm', '--orphan', `${ORPHAN_MS / 1000}s`];
      const producer = new AppendingProcess(nodeAt(node), `public:grow.${channel}`, flags);
      producers.push(producer);
      return producer;
    };
    const dead = [append(0, 'dead.read'), append(1, 'dead.unread'), append(2, 'dead.node')];
    const living = [append(0, 'living.read'), append(1, 'living.unread')];
    const [deadAndRead, livingAndRead] = [dead[0], living[0]] as [AppendingProcess, AppendingProcess];
    const ofDead = await read(deadAndRead.channel, [0, 1], () => deadAndRead.written);
    const ofLiving = await read(livingAndRead.channel, [0, 1], () => livingAndRead.written);
    await Promise.all([...dead, ...living].map(producer => producer.write('half a ')));
    const silentSince = performance.now();
    await Promise.all(dead.map(producer => producer.kill()));
    const last = nodes.pop();
    last?.kill('SIGKILL');
    await last?.exited();
    await eventually(
      'all dead ones are ended',
      async () => (await endedBy('orphan')) >= dead.length,
      SWEPT_MS,
    );
    // The living ones were silent for longer than that, and said only that they live.
    await pause(Math.max(0, silentSince + 2.5 * ORPHAN_MS - performance.now()));
    for (const { channel } of living) expect(await stateOf(channel)).toMatchObject({ status: 'streaming' });
    await Promise.all(living.map(producer => producer.write('text')));
    await Promise.all(living.map(producer => producer.end()));
    expect([await endedBy('orphan'), await endedBy('producer')]).toEqual([dead.length, living.length]);
    for (const { channel } of dead) {
      const orphaned = { status: 'failed', reason: 'orphaned' };
      expect(await stateOf(channel)).toMatchObject(orphaned);
      expect(await historyOf(channel)).toMatchObject([{ ...orphaned, text: 'half a ' }]);
    }
    await eventually('the readers know', () => [...ofDead, ...ofLiving].every(({ ends }) => ends > 0));
    expect(ofDead.map(({ ends, newest }) => [ends, newest?.reason])).toEqual([
      [1, 'orphaned'],
      [1, 'orphaned'],
    ]);
    expect(ofLiving.map(({ ends, newest }) => [ends, newest?.status])).toEqual([
      [1, 'complete'],
      [1, 'complete'],
    ]);
    expectWhole();
  });

  it('hears of a cancel by the other node, and ends the message itself', async () => {
    await start(2);
    const stream = await appendStream(clientOf(0), ANSWER, { message: 'm' });
    await stream.write('so far');
    const [first, second] = await read(ANSWER, [0, 1], () => 'so far');
    const heard = aborted(stream);
    const { body } = await nodeAt(1).rpc('AppendCancel', { name: ANSWER, reason: 'enough' });
    expect(body).toMatchObject({ status: 'streaming', cancel: { reason: 'enough' } });
    const { ms, reason } = await heard;
    expect(reason).toMatchObject({
      code: 'MSG_APPEND_CLOSED',
      reason: 'cancelled',
      meta: { reason: 'enough' },
    });
    expect(ms).toBeLessThan(HEARD_MS);
    await stream.cancel('as you wish');
    const hasEnd = (reader: Reader | undefined): boolean => reader?.newest?.reason === 'as you wish';
    await eventually('both readers have its end', () => hasEnd(first) && hasEnd(second));
    expect([first?.ends, second?.ends]).toEqual([1, 1]);
    expect([await endedBy('producer'), await endedBy('cancel')]).toEqual([1, 0]);
    expectWhole();
  });

  it('that does not listen to a reader of the other node is stopped once after its time', async () => {
    await start(2);
    const append = (seq: number, text: string) =>
      nodeAt(0).rpc('Append', { name: ANSWER, message: 'm', producer: 'p', seq, ops: [{ text }] });
    await append(1, 'so ');
    const [first, second] = await read(ANSWER, [0, 1], () => 'so far');
    const scopes = [{ pattern: `${CHAT}.control`, verbs: ['publish'] }];
    const { body } = await nodeAt(1).rpc('IssueAccess', { subject: 'ann', scopes });
    const token = String(body['access_token']);
    const client = stockClient(nodeAt(1).websocketUrl, { token });
    client.connect();
    await client.ready(20_000);
    await client.publish(`${CHAT}.control`, { cancel: { channel: ANSWER } });
    expect((await append(2, 'far')).body).toMatchObject({ status: 'streaming', cancel: { by: 'ann' } });
    const isCancelled = (reader: Reader | undefined): boolean => reader?.newest?.status === 'cancelled';
    await eventually('both readers have the end', () => isCancelled(first) && isCancelled(second), 20_000);
    expect(second?.newest).toMatchObject({ text: 'so far', reason: 'cancelled by ann' });
    expect((await append(3, 'late')).code).toBe('MSG_APPEND_CLOSED');
    expect([first?.ends, second?.ends]).toEqual([1, 1]);
    expect([await endedBy('cancel'), await endedBy('orphan')]).toEqual([1, 0]);
    expectWhole();
  });

  it('that is cancelled by its input on one node before it opens on the other hears of it with the first answer', async () => {
    await start(2);
    const cancel = { name: ANSWER, input: 'question-1', reason: 'never mind' };
    expect((await nodeAt(1).rpc('AppendCancel', cancel)).body).toMatchObject({ status: '' });
    const stream = await appendStream(clientOf(0), ANSWER, { message: 'm', input: 'question-1' });
    expect((await aborted(stream)).reason).toMatchObject({ meta: { reason: 'never mind' } });
    expect(await stream.cancel('stopped')).toMatchObject({ status: 'cancelled' });
    expect(await historyOf(ANSWER)).toMatchObject([{ status: 'cancelled', reason: 'stopped', text: '' }]);
  });

  it('is replaced by another one on the other node, and the first one hears of it, also when its node dies then', async () => {
    await start(2);
    let written = '';
    await read(ANSWER, [1, 1], () => written);
    const grow = async (stream: AppendWriter, text: string): Promise<void> => {
      written += text;
      await stream.write(text);
    };
    const first = await appendStream(clientOf(0), ANSWER, { message: 'm', producer: 'one' });
    for (let n = 0; n < 50; n++) await grow(first, `<${n}>`);
    await eventually('all of it is there', () => readers.every(({ newest }) => newest?.text === written));
    const heard = aborted(first);
    const second = await resumeStream(clientOf(1), ANSWER, 'm', { producer: 'two' });
    expect(second.resumed?.text).toBe(written);
    const { ms, reason } = await heard;
    expect(reason).toMatchObject({ code: 'MSG_APPEND_FENCED', meta: { producer: 'two' } });
    expect(ms).toBeLessThan(HEARD_MS);
    await expect(first.write('never')).rejects.toMatchObject({ code: 'MSG_APPEND_FENCED' });
    const late = { name: ANSWER, message: 'm', producer: 'one', seq: 52, ops: [{ text: 'never' }] };
    expect((await nodeAt(0).rpc('Append', late)).code).toBe('MSG_APPEND_FENCED');
    nodeAt(0).kill('SIGKILL');
    for (let n = 50; n < 100; n++) await grow(second, `<${n}>`);
    expect(await second.complete()).toMatchObject({ status: 'complete' });
    const isWhole = ({ newest }: Reader): boolean => newest?.status === 'complete' && newest.text === written;
    await eventually('every reader has the whole text', () => readers.every(isWhole));
    expect(readers.map(({ ends }) => ends)).toEqual([1, 1]);
    expectWhole();
  });
});
