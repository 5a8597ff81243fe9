// A provider of the AI SDK as applications have it, on a server that speaks its wire format (append streams 12).
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { openRun, pipeToChannel, type RunResult } from '@msg/ai/server';
import { eventually } from '@msg/testkit';
import {
  jsonSchema,
  readUIMessageStream,
  stepCountIs,
  streamText,
  tool,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, CompletionsServer, type Delta } from './support/completions-server.ts';
import { channelOf, Stage } from './support/stage.ts';

const KEY = 'the-key-of-the-application';
/** The model hears of a stop within this time (append streams 15.9). */
const STOPPED_MS = 1000;

let stage: Stage;
let server: CompletionsServer;
let chat = '';
let chats = 0;

beforeAll(async () => {
  [stage, server] = await Promise.all([Stage.start(), CompletionsServer.start()]);
});
afterAll(async () => {
  await stage.stop();
  await server.stop();
});
beforeEach(() => {
  chat = `provider-${++chats}`;
});

const model = () =>
  createOpenAICompatible({ name: 'local', baseURL: server.url, apiKey: KEY, includeUsage: true })(
    'local-model',
  );
const content = (text: string): Delta[] => pieces(text).map(piece => ({ content: piece }));
const reasoning = (text: string): Delta[] => pieces(text).map(piece => ({ reasoning_content: piece }));

/** As tokens are: a few characters each. */
const pieces = (text: string): string[] => text.match(/.{1,5}/gsu) ?? [];

function call(id: string, name: string, input: string): Delta[] {
  const head = { index: 0, id, type: 'function', function: { name, arguments: '' } };
  const rest = pieces(input).map(piece => ({ index: 0, function: { arguments: piece } }));
  return [head, ...rest].map(part => ({ tool_calls: [part] }));
}

const weather = tool({
  description: 'The weather of a city',
  inputSchema: jsonSchema<{ city: string }>({ type: 'object', properties: { city: { type: 'string' } } }),
  execute: ({ city }) => ({ city, degrees: 21 }),
});

/** Everything that a stock client of the chat is shown, and what it makes of it. */
async function reader() {
  const client = await stage.client(chat);
  const subscription = client.raw().newSubscription(channelOf(chat), { delta: 'fossil' });
  const documents: { readonly status: string; readonly reason?: string; readonly items: unknown[] }[] = [];
  subscription.on('publication', ({ data }) => documents.push(data));
  subscription.subscribe();
  await subscription.ready(20_000);
  const last = () => documents.at(-1);
  return {
    documents,
    last,
    ended: () => eventually('it has ended', () => (last()?.status ?? 'streaming') !== 'streaming'),
  };
}

/** The text of a document: what its items of text say. */
function saidBy({ items }: { readonly items: readonly unknown[] }): string {
  const parts = items as readonly { readonly type: string; readonly delta?: string }[]; // chunks of the framework
  return parts.map(({ type, delta }) => (type === 'text-delta' ? (delta ?? '') : '')).join('');
}

/** The message that the framework makes of the answer, read by the transport of a tab that comes now. */
async function read(): Promise<UIMessage | undefined> {
  const { transport } = await stage.tab(chat);
  const stream = await transport.reconnectToStream({ chatId: chat });
  if (stream === null) throw new Error('no answer is open');
  let message: UIMessage | undefined;
  for await (const next of readUIMessageStream<UIMessage>({ stream })) message = next;
  return message;
}

const TEXT = 'In Wien hat es 21 °C — schönes Wetter, „kein Scherz“. 👋🏽\n\n| 世界 |\n';
const THOUGHT = 'Zuerst das Wetter in Österreich 🌤️.';
const INPUT = '{"city":"Wien (Österreich)"}';

describe('an answer of a provider', () => {
  it('is whole for a stock client and for the framework: reasoning, a tool with its input, text', async () => {
    const seen = await reader();
    const goOn = Promise.withResolvers<void>();
    server.answers(
      async answer => {
        await answer.say(...reasoning(THOUGHT), ...call('call-1', 'weather', INPUT));
        await answer.finish('tool_calls');
      },
      async answer => {
        await answer.say(...content(TEXT.slice(0, 20)));
        await goOn.promise;
        await answer.say(...content(TEXT.slice(20)));
        await answer.finish('stop');
      },
    );
    const run = await openRun(stage.msg, { channel: channelOf(chat), input: 'q1' });
    const result = streamText({
      model: model(),
      tools: { weather },
      stopWhen: stepCountIs(2),
      messages: [{ role: 'user', content: 'Wie ist das Wetter?' }],
      abortSignal: run.signal,
    });
    const piped = run.pipe(toUIMessageStream({ stream: result.stream }));
    await eventually('half of the text is there', () => {
      const last = seen.last();
      return last !== undefined && saidBy(last) === TEXT.slice(0, 20);
    });
    const late = read();
    goOn.resolve();
    expect(await piped).toEqual({ message: run.message, status: 'complete', reason: '', text: TEXT });
    await seen.ended();
    for (const document of seen.documents) expect(TEXT.startsWith(saidBy(document))).toBe(true);
    expect(seen.last()).toMatchObject({ status: 'complete' });
    expect(saidBy(seen.last() ?? { items: [] })).toBe(TEXT);
    const message = await late;
    expect(message?.id).toBe(run.message);
    expect(message?.parts.filter(({ type }) => type !== 'step-start')).toMatchObject([
      { type: 'reasoning', text: THOUGHT, state: 'done' },
      { type: 'tool-weather', toolCallId: 'call-1', input: JSON.parse(INPUT), output: { degrees: 21 } },
      { type: 'text', text: TEXT, state: 'done' },
    ]);
    expect(server.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(server.requests).toMatchObject([
      { model: 'local-model', stream: true },
      {
        model: 'local-model',
        stream: true,
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }],
      },
    ]);
  });

  it('that is text only grows as text', async () => {
    const seen = await reader();
    server.answers(async answer => {
      await answer.say(...content(TEXT));
      await answer.finish('stop');
    });
    const result = streamText({ model: model(), prompt: '?' });
    const options = { channel: channelOf(chat), format: 'text' } as const;
    expect(await pipeToChannel(stage.msg, result.textStream, options)).toMatchObject({ text: TEXT });
    await seen.ended();
    expect(seen.last()).toMatchObject({ status: 'complete', text: TEXT });
  });

  it('that is stopped ends the request to the provider within a second, and shows what it said', async () => {
    const seen = await reader();
    let answered: Answer | undefined;
    server.answers(async answer => {
      answered = answer;
      while (answer.isOpen) await answer.say({ content: 'word ' });
    });
    const ends: RunResult[] = [];
    const run = await openRun(stage.msg, { channel: channelOf(chat) });
    const result = streamText({ model: model(), prompt: '?', abortSignal: run.signal });
    const piped = run.pipe(toUIMessageStream({ stream: result.stream }), {
      onEnd: end => void ends.push(end),
    });
    await eventually('it speaks', () => saidBy(seen.last() ?? { items: [] }).length > 50);
    const { transport } = await stage.tab(chat);
    const stoppedAt = performance.now();
    await transport.stop(chat, 'enough');
    const { status, reason, text } = await piped;
    expect([status, reason]).toEqual(['cancelled', 'enough']);
    expect(/^(word )+$/.test(text)).toBe(true);
    await eventually('the request has ended', () => answered?.isOpen === false);
    expect((answered?.leftAt ?? Number.POSITIVE_INFINITY) - stoppedAt).toBeLessThan(STOPPED_MS);
    await seen.ended();
    expect(seen.last()).toMatchObject({ status: 'cancelled', reason: 'enough' });
    expect(saidBy(seen.last() ?? { items: [] })).toBe(text);
    expect(ends).toHaveLength(1);
  });

  it.each<[string, (answer: Answer) => Promise<void>]>([
    ['tells of a failure in the middle', answer => answer.fail('out of memory at gpu-7')],
    ['breaks off in the middle of a line', answer => answer.breakOff()],
  ])('that %s has failed, with what it said, and readers see no cause', async (_, end) => {
    const seen = await reader();
    server.answers(async answer => {
      await answer.say(...content('Half of '));
      await end(answer);
    });
    const run = await openRun(stage.msg, { channel: channelOf(chat) });
    const result = streamText({ model: model(), prompt: '?', maxRetries: 0, onError: () => {} });
    const { status, text } = await run.pipe(toUIMessageStream({ stream: result.stream }));
    expect([status, text]).toEqual(['failed', 'Half of ']);
    await seen.ended();
    expect(seen.last()).toMatchObject({ status: 'failed' });
    expect(JSON.stringify(seen.documents)).not.toMatch(/gpu-7|completions|127\.0\.0\.1/);
  });

  it('that is refused has failed, and neither key nor address of the provider are in the channel', async () => {
    const seen = await reader();
    server.answers(async answer => answer.refuse(401, `Incorrect API key provided: ${KEY}`));
    const run = await openRun(stage.msg, { channel: channelOf(chat) });
    const result = streamText({ model: model(), prompt: '?', maxRetries: 0, onError: () => {} });
    expect(await run.pipe(toUIMessageStream({ stream: result.stream }))).toMatchObject({
      status: 'failed',
      text: '',
    });
    await seen.ended();
    expect(JSON.stringify(seen.documents)).not.toMatch(new RegExp(`${KEY}|127\\.0\\.0\\.1`));
  });
});
