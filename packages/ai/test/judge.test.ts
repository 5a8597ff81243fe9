// The framework's own reader judges: what our readers get makes the message that the original stream makes.
import { openRun } from '@msg/ai/server';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import { readUIMessageStream as readWithLowest } from 'ai-7.0.138';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHUNK_TYPES, CORPUS } from './support/corpus.ts';
import { channelOf, cut, Model, question, Stage } from './support/stage.ts';

type Read = (stream: ReadableStream<UIMessageChunk>) => Promise<unknown>;

/** The newest message that a reader makes of a stream. */
const newest: Read = async stream => lastOf(readUIMessageStream<UIMessage>({ stream }));
const lowest: Read = async stream =>
  lastOf(readWithLowest({ stream: stream as Parameters<typeof readWithLowest>[0]['stream'] }));

async function lastOf(messages: AsyncIterable<unknown>): Promise<unknown> {
  let last: unknown;
  for await (const message of messages) last = message;
  return JSON.parse(JSON.stringify(last));
}

const streamOf = (chunks: readonly UIMessageChunk[]): ReadableStream<UIMessageChunk> =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk);
      controller.close();
    },
  });

let stage: Stage;
let chats = 0;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());

/** What the four readers of an answer get: the sender, one whose connection is lost, one who comes halfway, one after it. */
async function readings(chunks: readonly UIMessageChunk[], read: Read) {
  const chat = String(++chats);
  const [sender, reader, late] = await Promise.all([stage.tab(chat), stage.tab(chat), stage.tab(chat)]);
  const model = new Model();
  let message = '';
  let piped: Promise<unknown> = Promise.resolve();
  stage.application = async ({ input }) => {
    const run = await openRun(stage.msg, { channel: channelOf(chat), input });
    message = run.message;
    piped = run.pipe(model.stream);
    return undefined;
  };
  const live = await sender.transport.sendMessages({
    chatId: chat,
    trigger: 'submit-message',
    messageId: undefined,
    messages: [question('?')],
    abortSignal: undefined,
  });
  const half = Math.ceil(chunks.length / 2);
  const first = await reader.transport.reconnectToStream({ chatId: chat });
  for (const [at, chunk] of chunks.slice(0, half).entries()) {
    model.say(chunk);
    if (at % 3 === 2) await cut(reader.client);
  }
  const replay = await late.transport.reconnectToStream({ chatId: chat });
  model.say(...chunks.slice(half)).end();
  if (first === null || replay === null) throw new Error('no answer is open');
  const results = await Promise.all([read(live), read(first), read(replay)]);
  await piped;
  expect(await late.transport.reconnectToStream({ chatId: chat })).toBeNull();
  return { results, message };
}

describe('the message is that of the original stream', () => {
  it.each(
    Object.entries(CORPUS).flatMap(([name, chunks]) => [
      { name, version: 'the newest', chunks, read: newest },
      { name, version: 'the lowest', chunks, read: lowest },
    ]),
  )('$name, with $version ai', async ({ chunks, read }) => {
    const { results, message } = await readings(chunks, read);
    const original = (await read(streamOf(chunks))) as UIMessage;
    const isNamed = original.id !== '';
    const expected = { ...original, id: isNamed ? original.id : message };
    expect(results).toEqual([expected, expected, expected]);
  });
});

it('the corpus has every type of chunk', () => {
  const types = Object.values(CORPUS)
    .flat()
    .map(({ type }) => (type.startsWith('data-') ? 'data-*' : type));
  expect(new Set(types)).toEqual(new Set(Object.keys(CHUNK_TYPES)));
});
