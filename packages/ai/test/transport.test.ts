import { Chat } from '@ai-sdk/react';
import { openRun, type Run } from '@msg/ai/server';
import { eventually } from '@msg/testkit';
import type { ChatTransport, UIMessage } from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MsgChatTransport } from '#src/browser.ts';
import { channelOf, chunksOf, Model, question, Stage, textOf } from './support/stage.ts';

let stage: Stage;
let chat = '';
let model: Model;
let run: Run;
let piped: Promise<unknown>;
let chats = 0;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());
beforeEach(() => {
  chat = `c${++chats}`;
  model = new Model();
  stage.application = async ({ input }) => {
    await open(input);
    return undefined;
  };
});

async function open(input?: string): Promise<void> {
  run = await openRun(stage.msg, { channel: channelOf(chat), ...(input === undefined ? {} : { input }) });
  piped = run.pipe(model.stream);
}

const send = (transport: MsgChatTransport, abortSignal?: AbortSignal) =>
  transport.sendMessages({
    chatId: chat,
    trigger: 'submit-message',
    messageId: undefined,
    messages: [question('?')],
    abortSignal,
  });

/** The framework's own chat, as `useChat` has it. */
function chatOf(transport: MsgChatTransport): Chat<UIMessage> {
  return new Chat<UIMessage>({ id: chat, transport, messages: [question('?')] });
}

const answer = ({ messages }: Chat<UIMessage>): string => textOf(messages.at(-1));

it('is a transport of the framework without a cast', async () => {
  const { transport } = await stage.tab(chat);
  const framework: ChatTransport<UIMessage> = transport;
  expect(framework.resumeStreamIsReplay).toBe(true);
});

describe('sendMessages', () => {
  it('asks the application with an input of its own, and what the caller adds', async () => {
    const { transport } = await stage.tab(chat);
    stage.requests.length = 0;
    const stream = await transport.sendMessages({
      chatId: chat,
      trigger: 'regenerate-message',
      messageId: 'm7',
      messages: [question('?')],
      abortSignal: undefined,
      body: { model: 'small' },
    });
    model.begin('yes').finish();
    await chunksOf(stream);
    const [request] = stage.requests;
    expect(request).toEqual({
      id: chat,
      input: expect.stringMatching(/^\w{16}$/),
      trigger: 'regenerate-message',
      messageId: 'm7',
      messages: [question('?')],
      model: 'small',
    });
  });

  it('rejects with the status and the text of a refusal', async () => {
    const { transport } = await stage.tab(chat);
    stage.application = () => new Response(`no credit${' '.repeat(2000)}`, { status: 402 });
    await expect(send(transport)).rejects.toMatchObject({ name: 'ChatRequestError', status: 402 });
    await expect(send(transport)).rejects.toThrow(/^the chat answered 402: no credit {1015}$/);
    await expect(transport.stop(chat)).rejects.toMatchObject({ code: 'MSG_APPEND_NOT_FOUND' });
  });

  it('yields the answer before the application has replied', async () => {
    const { transport } = await stage.tab(chat);
    const replied = Promise.withResolvers<Response>();
    stage.application = async ({ input }) => {
      await open(input);
      return replied.promise;
    };
    model.begin('early');
    const stream = await send(transport);
    const reader = stream.getReader();
    expect((await reader.read()).value).toMatchObject({ type: 'start', messageId: run.message });
    reader.releaseLock();
    replied.resolve(new Response('{}'));
    model.finish();
    await piped;
  });

  it('reads an answer from the channel that the application names, also one that ended before', async () => {
    const { transport } = await stage.tab(chat);
    const channel = await stage.channel(chat, 'other');
    stage.application = async ({ input }) => {
      const other = await openRun(stage.msg, { channel, input });
      model.begin('elsewhere').finish();
      await other.pipe(model.stream);
      return Response.json({ channel });
    };
    const chunks = await chunksOf(await send(transport));
    expect(chunks.map(({ type }) => type)).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
  });

  it('shows a text as the framework shows text', async () => {
    const { transport } = await stage.tab(chat);
    stage.application = async ({ input }) => {
      const texts = await openRun(stage.msg, { channel: channelOf(chat), input, format: 'text' });
      await texts.pipe(
        (async function* () {
          yield 'Hello ';
          yield 'world';
        })(),
      );
      return undefined;
    };
    const chunks = await chunksOf(await send(transport));
    expect(chunks.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      'start',
      'text-start',
      'text-delta',
      'text-end',
      'finish',
    ]);
    expect(chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')).toBe(
      'Hello world',
    );
  });
});

describe('an abort', () => {
  it('detaches and does not stop the answer', async () => {
    const { transport } = await stage.tab(chat);
    const leaving = new AbortController();
    const stream = await send(transport, leaving.signal);
    model.begin('one ');
    const reader = stream.getReader();
    await reader.read();
    leaving.abort();
    await expect(
      (async () => {
        for (;;) if ((await reader.read()).done) return;
      })(),
    ).rejects.toMatchObject({ name: 'AbortError' });
    const again = await transport.reconnectToStream({ chatId: chat });
    model.words('two').finish();
    expect(run.signal.aborted).toBe(false);
    expect(await piped).toMatchObject({ status: 'complete', text: 'one two' });
    const chunks = again === null ? [] : await chunksOf(again);
    expect(chunks.map(chunk => (chunk.type === 'text-delta' ? chunk.delta : '')).join('')).toBe('one two');
  });

  it('of a chat that is left and resumed shows the answer once', async () => {
    const { transport } = await stage.tab(chat);
    const page = chatOf(transport);
    void page.sendMessage({ text: 'Hello' });
    await eventually('the run is open', () => stage.requests.some(({ id }) => id === chat));
    model.begin('half an ');
    await eventually('half of it is there', () => answer(page) === 'half an ');
    await page.stop();
    expect(run.signal.aborted).toBe(false);
    const resumed = page.resumeStream();
    model.words('answer').finish();
    await resumed;
    expect(answer(page)).toBe('half an answer');
    expect(page.messages.filter(({ role }) => role === 'assistant')).toHaveLength(1);
    expect(page.messages.at(-1)?.id).toBe(run.message);
  });
});

describe('stop', () => {
  it('works before the first token, and both tabs see it', async () => {
    const [sender, other] = await Promise.all([stage.tab(chat), stage.tab(chat)]);
    const page = chatOf(sender.transport);
    const sent = page.sendMessage({ text: 'Hello' });
    await eventually('the run is open', () => run?.channel === channelOf(chat));
    const theirs = await other.transport.reconnectToStream({ chatId: chat });
    const stopping = other.transport.stop(chat, 'enough');
    await eventually('the model hears of it', () => run.signal.aborted, 1000);
    model.end();
    await stopping;
    expect(await piped).toMatchObject({ status: 'cancelled', reason: 'enough', text: '' });
    expect(theirs === null ? null : await chunksOf(theirs)).toEqual([{ type: 'abort', reason: 'enough' }]);
    await sent;
    expect(page.status).toBe('ready');
  });

  it('works before the application has opened the run', async () => {
    const { transport } = await stage.tab(chat);
    const taken = Promise.withResolvers<void>();
    stage.application = async ({ input }) => {
      await taken.promise;
      await open(input);
      return undefined;
    };
    const sending = send(transport);
    await eventually('it was asked', () => stage.requests.at(-1)?.id === chat);
    const stopping = transport.stop(chat);
    taken.resolve();
    await eventually('the model hears of it', () => run?.channel === channelOf(chat) && run.signal.aborted);
    model.end();
    await stopping;
    expect(await chunksOf(await sending)).toEqual([{ type: 'abort' }]);
  });

  it('is refused without the grant, and with nothing to stop', async () => {
    const [reader, owner] = await Promise.all([stage.tab(chat, false), stage.tab(chat)]);
    await expect(owner.transport.stop(chat)).rejects.toMatchObject({ code: 'MSG_APPEND_NOT_FOUND' });
    await open();
    await expect(reader.transport.stop(chat)).rejects.toMatchObject({ code: 'MSG_AUTH_DENIED' });
    expect(run.signal.aborted).toBe(false);
    model.finish();
    await piped;
  });
});

describe('onRun', () => {
  it('is called for an answer that another tab asked for, and not for its own', async () => {
    const [sender, other] = await Promise.all([stage.tab(chat), stage.tab(chat)]);
    const seen: string[] = [];
    sender.transport.onRun(chat, ({ message }) => seen.push(`sender ${message}`));
    const stop = other.transport.onRun(chat, ({ message, input }) => seen.push(`other ${message} ${input}`));
    expect(await other.transport.reconnectToStream({ chatId: chat })).toBeNull();
    const stream = await send(sender.transport);
    await eventually('the other tab knows', () => seen.length > 0);
    expect(seen).toEqual([`other ${run.message} ${stage.requests.at(-1)?.input}`]);
    stop();
    model.begin('for both').finish();
    await chunksOf(stream);
    expect(seen).toHaveLength(1);
  });

  it('shows a chat the answer to another tab', async () => {
    const [sender, other] = await Promise.all([stage.tab(chat), stage.tab(chat)]);
    const page = chatOf(other.transport);
    const resumed: Promise<void>[] = [];
    other.transport.onRun(chat, () => resumed.push(page.resumeStream()));
    await page.resumeStream();
    const stream = await send(sender.transport);
    await eventually('it resumes', () => resumed.length === 1);
    model.begin('for ', 'both').finish();
    await chunksOf(stream);
    await Promise.all(resumed);
    expect(answer(page)).toBe('for both');
  });
});

describe('when nothing can be read', () => {
  it('a chat without an open answer has nothing to resume', async () => {
    const { transport } = await stage.tab(chat);
    expect(await transport.reconnectToStream({ chatId: chat })).toBeNull();
  });

  it('a reader without the grant gets the refusal', async () => {
    const { transport } = await stage.tab(chat);
    const foreign = `other-${chat}`;
    await stage.client(foreign);
    await expect(transport.reconnectToStream({ chatId: foreign })).rejects.toMatchObject({
      name: 'MsgError',
    });
  });

  it('close ends the streams that read, and stops nothing', async () => {
    const { transport, client } = await stage.tab(chat);
    const stream = await send(transport);
    transport.close();
    await expect(chunksOf(stream)).rejects.toMatchObject({ code: 'MSG_CHANNEL_CLOSED' });
    expect(client.raw().getSubscription(channelOf(chat))).toBeNull();
    expect(run.signal.aborted).toBe(false);
    model.finish();
    expect(await piped).toMatchObject({ status: 'complete' });
  });
});
