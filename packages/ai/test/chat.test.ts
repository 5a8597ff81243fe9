import { EventEmitter } from 'node:events';
import type { MsgClient } from '@msg/client';
import { ManualClock } from '@msg/foundation/clock/testing';
import type { UIMessageChunk } from 'ai';
import { expect, it } from 'vitest';
import { AppendChatTransport } from '#src/chat-transport.ts';
import { chunksOf, question } from './support/stage.ts';

const CHANNEL = 'private:app.chat.7.answer';

/** A subscription whose events the test makes, and a history that it fills. */
class Events extends EventEmitter {
  state = 'unsubscribed';
  readonly entries: unknown[] = [];

  subscribe(): void {
    this.state = 'subscribing';
  }

  begin(recovered = false): void {
    this.state = 'subscribed';
    this.emit('subscribed', { recovered, wasRecovering: recovered });
  }

  publish(document: object): void {
    this.emit('publication', { channel: CHANNEL, data: document });
  }

  async history({ limit }: { limit: number }) {
    return { publications: this.entries.slice(0, limit).map(data => ({ data })), offset: 0, epoch: '' };
  }
}

function staged() {
  const events = new Events();
  const removed: unknown[] = [];
  const published: unknown[] = [];
  const inputs: string[] = [];
  const client = Object.assign(new EventEmitter(), {
    raw: () => ({ getSubscription: () => null, removeSubscription: (one: unknown) => removed.push(one) }),
    newSubscription: () => events,
    statusOf: () => events.state,
    publish: async (name: string, data: unknown) => void published.push([name, data]),
  });
  const clock = new ManualClock();
  const transport = new AppendChatTransport(
    {
      client: client as unknown as MsgClient,
      api: 'http://application.test/',
      channelOf: () => CHANNEL,
      fetch: async (_url, init) => {
        inputs.push((JSON.parse(String(init?.body)) as { input: string }).input);
        return new Response('');
      },
    },
    clock,
  );
  const send = () =>
    transport.sendMessages({
      chatId: '7',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [question('?')],
      abortSignal: undefined,
    });
  return { events, client, clock, transport, removed, published, inputs, send };
}

const part = (delta: string): UIMessageChunk => ({ type: 'text-delta', id: 't', delta });
const start: UIMessageChunk = { type: 'start', messageId: 'm' };
const turn = () => new Promise(resolve => setImmediate(resolve));

it('an answer that does not come within 30 s is told as such', async () => {
  const { events, clock, send } = staged();
  const sending = send();
  events.begin();
  const stream = await sending;
  await clock.advance(30_000);
  expect(await chunksOf(stream)).toEqual([{ type: 'error', errorText: 'no answer' }]);
});

it('an answer that ended unseen is read from the history', async () => {
  const { events, clock, send, inputs } = staged();
  const sending = send();
  events.begin();
  const stream = await sending;
  events.entries.push({ id: 'm', status: 'complete', input: inputs[0], items: [start, part('unseen')] });
  await clock.advance(30_000);
  expect(await chunksOf(stream)).toEqual([start, part('unseen')]);
});

it('an answer that ended while the connection was lost for long is read from the history', async () => {
  const { events, send, inputs } = staged();
  const sending = send();
  events.begin();
  const stream = await sending;
  const message = { id: 'm', input: inputs[0] };
  events.publish({ ...message, status: 'streaming', items: [start, part('half')] });
  events.entries.push({ ...message, status: 'failed', reason: 'orphaned', items: [start, part('half an')] });
  events.begin(false);
  expect(await chunksOf(stream)).toEqual([
    start,
    part('half'),
    part(' an'),
    { type: 'error', errorText: 'orphaned' },
  ]);
});

it('a resumed answer that ended while the connection was lost for long is read from the history', async () => {
  const { events, transport } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  events.publish({ id: 'm', status: 'streaming', items: [start, part('half')] });
  const stream = await resuming;
  events.entries.push({ id: 'm', status: 'complete', items: [start, part('half an')] });
  events.begin(false);
  expect(stream === null ? null : await chunksOf(stream)).toEqual([start, part('half'), part(' an')]);
});

it('an answer that is not there any more after a lost connection is not resumed', async () => {
  const { events, transport } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  events.publish({ id: 'm', status: 'streaming', items: [start] });
  await (await resuming)?.cancel();
  events.begin(false);
  expect(await transport.reconnectToStream({ chatId: '7' })).toBeNull();
});

it('an answer whose page left before it opened is told to the page that came back', async () => {
  const { events, transport, inputs } = staged();
  const leaving = new AbortController();
  const sending = transport.sendMessages({
    chatId: '7',
    trigger: 'submit-message',
    messageId: undefined,
    messages: [question('?')],
    abortSignal: leaving.signal,
  });
  events.begin();
  await sending;
  leaving.abort();
  const runs: string[] = [];
  transport.onRun('7', ({ message }) => runs.push(message));
  expect(await transport.reconnectToStream({ chatId: '7' })).toBeNull();
  events.publish({ id: 'm', status: 'streaming', input: inputs[0], items: [start] });
  expect(runs).toEqual(['m']);
});

it('an answer that is not what was read ends, and the chat is told to read it anew', async () => {
  const { events, transport, send, inputs } = staged();
  const runs: string[] = [];
  transport.onRun('7', ({ message }) => runs.push(message));
  const sending = send();
  events.begin();
  const stream = await sending;
  const message = { id: 'm', input: inputs[0], status: 'streaming' };
  events.publish({ ...message, items: [start, part('the first')] });
  events.publish({ ...message, items: [start, part('another')] });
  events.publish({ ...message, items: [start, part('another one')] });
  expect(await chunksOf(stream)).toEqual([start, part('the first')]);
  expect(runs).toEqual(['m']);
  const again = await transport.reconnectToStream({ chatId: '7' });
  events.publish({ ...message, status: 'complete', items: [start, part('another one!')] });
  expect(again === null ? null : await chunksOf(again)).toEqual([start, part('another one'), part('!')]);
});

it('a replay leaves out what was for those who listened', async () => {
  const { events, transport } = staged();
  const notice = (transient: boolean): UIMessageChunk => ({ type: 'data-notice', data: 1, transient });
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  const items = [start, notice(true), notice(false)];
  events.publish({ id: 'm', status: 'streaming', items });
  const stream = await resuming;
  events.publish({ id: 'm', status: 'complete', items: [...items, notice(true)] });
  expect(stream === null ? null : await chunksOf(stream)).toEqual([start, notice(false), notice(true)]);
});

it('what an older producer wrote and holds no chunk is left out', async () => {
  const { events, transport } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  events.publish({ id: 'm', status: 'streaming', items: [7, { no: 'type' }, start] });
  const stream = await resuming;
  events.publish({ id: 'm', status: 'cancelled', items: [7, { no: 'type' }, start] });
  expect(stream === null ? null : await chunksOf(stream)).toEqual([start, { type: 'abort' }]);
});

it('a subscription ends 5 s after its last reader, and a reader that comes earlier goes on with it', async () => {
  const { events, transport, clock, removed } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  expect(await resuming).toBeNull();
  await clock.advance(4999);
  const stop = transport.onRun('7', () => {});
  await clock.advance(60_000);
  expect(removed).toEqual([]);
  stop();
  await clock.advance(5000);
  expect(removed).toEqual([events]);
  expect(events.listenerCount('publication')).toBe(0);
});

it('a stop that ends nothing within 10 s says so', async () => {
  const { events, transport, clock, published } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  events.publish({ id: 'm', status: 'streaming', items: [start] });
  await resuming;
  const stopping = transport.stop('7', 'enough').catch((error: unknown) => error);
  await turn();
  await clock.advance(10_000);
  expect(await stopping).toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
  expect(published).toEqual([
    ['private:app.chat.7.control', { cancel: { channel: CHANNEL, message: 'm', reason: 'enough' } }],
  ]);
});

it('a stop of an answer that this tab has not seen yet ends with that answer', async () => {
  const { events, transport, published } = staged();
  const resuming = transport.reconnectToStream({ chatId: '7' });
  events.begin();
  expect(await resuming).toBeNull();
  const stopping = transport.stop('7');
  await turn();
  expect(published).toEqual([['private:app.chat.7.control', { cancel: { channel: CHANNEL } }]]);
  const message = { id: 'm', input: 'of another tab', items: [start] };
  events.publish({ ...message, status: 'streaming' });
  events.publish({ ...message, status: 'cancelled' });
  await stopping;
});

it.each(['before it is there', 'after it was'])(
  'a subscription that ends %s ends its readers',
  async when => {
    const { events, send } = staged();
    const sending = send();
    if (when === 'after it was') events.begin();
    await turn();
    events.state = 'unsubscribed';
    events.emit('unsubscribed', { channel: CHANNEL, code: 103, reason: 'MSG_AUTH_DENIED: no' });
    const read = sending.then(chunksOf);
    await expect(read).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
  },
);

it('a client that is signed out ends its readers', async () => {
  const { events, client, send } = staged();
  const sending = send();
  events.begin();
  const stream = await sending;
  client.emit('terminal', new Error('signed out'));
  await expect(chunksOf(stream)).rejects.toThrow('signed out');
});
