// What answers. A real provider where MODEL names one; otherwise a model that thinks, asks a tool and speaks, 60 tokens a second.
import { type LanguageModel, simulateReadableStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';

const TOKEN_MS = 1000 / 60;
/** How long a question that begins with "Slowly" waits for its first token. */
const SLOW_MS = 6000;

type StreamOptions = Parameters<MockLanguageModelV4['doStream']>[0];
type Stream = Awaited<ReturnType<MockLanguageModelV4['doStream']>>['stream'];
type Part = Stream extends ReadableStream<infer P> ? P : never;

const USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};

/** Words of an answer, and of one to a question that begins with "Endlessly": minutes, for somebody to stop it. */
const WORDS = 240;
const ENDLESS_WORDS = 20_000;

/** The words of the answer: different ones for each question. */
export function wordsFor(question: string): string[] {
  const length = question.startsWith('Endlessly') ? ENDLESS_WORDS : WORDS;
  return Array.from({ length }, (_, n) =>
    n === 0 ? `${question}: ` : `word ${n}${n % 12 === 0 ? '\n' : ', '}`,
  );
}

/** What the tool is asked, as it is streamed. */
export const toolInput = (question: string): string => JSON.stringify({ city: 'Vienna', question });

/** What the model thinks before it speaks. */
export const thoughtsOn = (question: string): string =>
  `The user wants to know: ${question}. I look at the weather first.`;

/** The model; `onAbort` is called when its own AbortSignal fires. */
export function modelOf(name: string | undefined, onAbort: () => void): LanguageModel {
  if (name !== undefined) return name;
  return new MockLanguageModelV4({
    doStream: async options => {
      options.abortSignal?.addEventListener('abort', onAbort, { once: true });
      const question = questionOf(options);
      const isSecondStep =
        options.prompt.some(({ role }) => role === 'tool') && options.prompt.at(-1)?.role === 'tool';
      const initialDelayInMs = question.startsWith('Slowly') && !isSecondStep ? SLOW_MS : 0;
      const chunks = isSecondStep ? speech(question) : thought(question);
      return { stream: simulateReadableStream({ chunks, initialDelayInMs, chunkDelayInMs: TOKEN_MS }) };
    },
  });
}

function questionOf({ prompt }: StreamOptions): string {
  const content = prompt.findLast(({ role }) => role === 'user')?.content;
  const [part] = Array.isArray(content) ? content : [];
  return part?.type === 'text' ? part.text : '';
}

const pieces = (text: string): string[] => text.match(/.{1,8}/gs) ?? [];

function thought(question: string): Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'reasoning-start', id: 'r' },
    ...pieces(thoughtsOn(question)).map(delta => ({ type: 'reasoning-delta' as const, id: 'r', delta })),
    { type: 'reasoning-end', id: 'r' },
    { type: 'tool-input-start', id: 'call', toolName: 'weather' },
    ...pieces(toolInput(question)).map(delta => ({ type: 'tool-input-delta' as const, id: 'call', delta })),
    { type: 'tool-input-end', id: 'call' },
    { type: 'tool-call', toolCallId: 'call', toolName: 'weather', input: toolInput(question) },
    { type: 'finish', usage: USAGE, finishReason: { unified: 'tool-calls', raw: undefined } },
  ];
}

function speech(question: string): Part[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'text-start', id: 't' },
    ...wordsFor(question).map(delta => ({ type: 'text-delta' as const, id: 't', delta })),
    { type: 'text-end', id: 't' },
    { type: 'finish', usage: USAGE, finishReason: { unified: 'stop', raw: undefined } },
  ];
}
