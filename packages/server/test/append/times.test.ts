// Times of append streams, on a clock that the test moves: memories, waits, heartbeats, repeated requests.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { appendStream, createRpcClient } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const NAME = 'public:shop.chat.7';
const END = { ops: [{ status: 'complete' }] };

let clock: ManualClock;
let service: Embedded;

afterEach(stopEmbedded);

/** A service on the clock; its RPC, and Append as producer p. */
async function start(historyTtlMs = 300_000) {
  clock = new ManualClock();
  const rules = [{ pattern: 'public:shop.**', append: true, appendWindowMs: 0, historyTtlMs }];
  service = await embed({ clock, channels: { rules, open: [{ pattern: 'public:shop.**' }] } });
  const rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  const append = (request: object) => rpc('Append', { name: NAME, message: 'm', producer: 'p', ...request });
  return { rpc, append };
}

describe('a channel remembers', () => {
  it.each([
    ['300 s', 10_000, 300_000],
    ['as long as its history', 600_000, 600_000],
  ])('an ended message for %s', async (_what, historyTtlMs, remembered) => {
    const { append } = await start(historyTtlMs);
    await append({ seq: 1, text: 'a' });
    expect((await append({ seq: 2, ...END })).body).toMatchObject({ status: 'complete', offset: 2 });
    await clock.advance(remembered - 1);
    expect((await append({ seq: 2, ...END })).body).toMatchObject({ status: 'complete', duplicates: 1 });
    expect((await append({})).body).toMatchObject({ status: 'complete', seq: 2 });
    expect((await append({ seq: 1, text: 'a', producer: 'q' })).code).toBe('MSG_APPEND_CLOSED');
    await clock.advance(1);
    expect((await append({ seq: 2, ...END })).code).toBe('MSG_APPEND_NOT_FOUND');
    expect((await append({ seq: 1, text: 'anew', producer: 'q' })).body).toMatchObject({
      status: 'streaming',
    });
  });

  it('a cancel of an input for 60 s', async () => {
    const { rpc, append } = await start();
    for (const input of ['i', 'j']) await rpc('AppendCancel', { name: NAME, input });
    await clock.advance(59_999);
    expect((await append({ seq: 1, text: 'a', input: 'i' })).body['cancel']).toMatchObject({ by: 'ann' });
    await append({ seq: 2, ...END });
    await clock.advance(1);
    expect((await append({ message: 'n', seq: 1, text: 'a', input: 'j' })).body['cancel']).toBeNull();
  });
});

it('a read waits as long as it asks, and no longer', async () => {
  const { rpc, append } = await start();
  await append({ seq: 1, text: 'a', orphan_seconds: 3600 });
  const timers = clock.pending;
  let answer: unknown;
  const waiting = rpc('AppendState', { name: NAME, wait_seconds: 25 }).then(({ body }) => {
    answer = body;
  });
  await eventually('it waits', () => clock.pending > timers);
  await clock.advance(24_999);
  // Others are answered meanwhile.
  expect((await append({ seq: 2, text: 'b' })).status).toBe(200);
  expect(answer).toBeUndefined();
  await clock.advance(1);
  await waiting;
  expect(answer).toMatchObject({ status: 'streaming', seq: 2 });
});

/** What the requests of a writer are, and when it sends them. */
interface Sent {
  readonly at: number;
  readonly operations: number;
}

/** A writer over the RPC with this clock; `fails` makes its requests fail. */
async function writer(options: { orphanTimeout?: number }) {
  await start();
  const sent: Sent[] = [];
  const fails = { isOn: false };
  const client = createRpcClient<AbortSignal>({
    server: service.url,
    token: service.msg.tokens.issueManagement('backend').token,
    fetch: async (url, init) => {
      const { ops = [], producer } = JSON.parse(init.body) as { ops?: unknown[]; producer?: string };
      if (producer !== undefined) sent.push({ at: clock.monotonic(), operations: ops.length });
      if (fails.isOn) throw new TypeError('no connection');
      return fetch(url, init);
    },
  });
  const stream = await appendStream(client, NAME, { message: 'm', ...options }, clock);
  sent.length = 0;
  return { stream, sent, fails };
}

it('a silent writer sends a heartbeat after a third of the orphan timeout, and none while it writes', async () => {
  const { stream, sent } = await writer({ orphanTimeout: 30_000 });
  const beats = () => sent.filter(({ operations }) => operations === 0).length;
  await clock.advance(9999);
  expect(beats()).toBe(0);
  await clock.advance(1);
  await eventually('a heartbeat', () => beats() === 1);
  await eventually('its answer', () => clock.pending > 0);
  await clock.advance(5000);
  await stream.write('x');
  await eventually('the text is stored', () => sent.some(({ operations }) => operations === 1));
  await stream.complete();
  await clock.advance(60_000);
  expect(beats()).toBe(1);
});

it('requests that fail are repeated after 100 ms, doubling to 5 s, with a jitter, for 60 s', async () => {
  const { stream, sent, fails } = await writer({ orphanTimeout: 3_600_000 });
  fails.isOn = true;
  await stream.write('x');
  const end = stream.complete();
  const failed = expect(end).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  await clock.advance(70_000);
  await failed;
  expect(stream.signal.reason).toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  const times = sent.map(({ at }) => at);
  const gaps = times.slice(1).map((at, index) => at - (times[index] ?? 0));
  expect(gaps.length).toBeGreaterThan(14);
  for (const [index, gap] of gaps.entries()) {
    const middle = Math.min(100 * 2 ** index, 5000);
    expect(gap).toBeGreaterThanOrEqual(middle * 0.75);
    expect(gap).toBeLessThanOrEqual(middle * 1.25);
  }
  expect(new Set(gaps.slice(6)).size).toBeGreaterThan(1);
  const whole = (times.at(-1) ?? 0) - (times[0] ?? 0);
  expect([whole >= 60_000, whole < 67_000]).toEqual([true, true]);
});

it('a server that takes a request and does not answer is left after 5 s, with the same numbers', async () => {
  const { rpc } = await start();
  const silent = createServer();
  silent.on('request', () => {}); // no answer
  await new Promise<void>(resolve => silent.listen(0, '127.0.0.1', resolve));
  const { port } = silent.address() as AddressInfo; // a bound TCP server
  const asked: string[] = [];
  const client = createRpcClient<AbortSignal>({
    server: [`http://127.0.0.1:${port}`, service.url],
    token: service.msg.tokens.issueManagement('backend').token,
    fetch: (url, init) => {
      asked.push(url);
      return fetch(url, init);
    },
  });
  const opening = appendStream(client, NAME, { message: 'm' }, clock);
  await eventually('the first server is asked', () => asked.length === 1);
  await clock.advance(4999);
  expect(asked).toHaveLength(1);
  await clock.advance(1);
  // The pause before a request is repeated.
  await clock.advance(125);
  const stream = await opening;
  await stream.write('so far');
  await stream.complete();
  expect(asked.filter(url => url.includes(`:${port}/`))).toHaveLength(1);
  expect((await rpc('AppendState', { name: NAME })).body).toMatchObject({ status: 'complete', seq: 3 });
  silent.closeAllConnections();
  await new Promise(resolve => silent.close(resolve));
});

it('the abort of its stream of web standards fails the message', async () => {
  const { rpc } = await start();
  const stream = await service.msg.appendStream(NAME, { message: 'm' });
  const sink = stream.writable.getWriter();
  await sink.write('half');
  await sink.abort(new Error('the tab is closed'));
  expect((await rpc('AppendState', { name: NAME })).body).toMatchObject({
    status: 'failed',
    reason: 'aborted',
    size: 61,
  });
});
