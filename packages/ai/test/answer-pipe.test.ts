import { openRun, pipeToChannel, type RunResult } from '@msg/ai/server';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { simulateReadableStream, streamText, toUIMessageStream } from 'ai';
import { MockLanguageModelV4 } from 'ai/test';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Model, Stage } from './support/stage.ts';

let stage: Stage;
let channel = '';
let chats = 0;

beforeAll(async () => {
  stage = await Stage.start();
});
afterAll(() => stage.stop());
beforeEach(async () => {
  channel = await stage.channel(`p${++chats}`);
});

/** A model that says these words, `delayMs` apart. */
function mockModel(words: readonly string[], delayMs = 0): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 },
  };
  return new MockLanguageModelV4({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunkDelayInMs: delayMs,
        chunks: [
          { type: 'stream-start', warnings: [] },
          { type: 'text-start', id: '1' },
          ...words.map(delta => ({ type: 'text-delta' as const, id: '1', delta })),
          { type: 'text-end', id: '1' },
          { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } },
        ],
      }),
    }),
  });
}

const newest = () => stage.newest(channel);
const cancel = (reason: string) => stage.rpc.call('AppendCancel', { name: channel, reason });
const isThere = async () => (await newest()).items?.length === 3;

describe('a run of a model', () => {
  it('holds its chunks, a long text as one of them, and ends as complete', async () => {
    const words = Array.from({ length: 200 }, (_, n) => `word${n} `);
    const run = await openRun(stage.msg, { channel, input: 'q1' });
    const { stream } = streamText({ model: mockModel(words), prompt: '?', abortSignal: run.signal });
    const ends: RunResult[] = [];
    const result = await run.pipe(toUIMessageStream({ stream }), { onEnd: end => void ends.push(end) });
    expect(result).toEqual({ message: run.message, status: 'complete', reason: '', text: words.join('') });
    expect(ends).toEqual([result]);
    const { status, items } = await newest();
    expect(status).toBe('complete');
    expect(items?.[0]).toEqual({ type: 'start', messageId: run.message });
    expect(items).toContainEqual({ type: 'text-delta', id: '1', delta: words.join('') });
    expect(items).toHaveLength(7);
  });

  it('is stopped: the model hears of it, and what it still says is not lost', async () => {
    const model = mockModel(
      Array.from({ length: 1000 }, () => 'word '),
      5,
    );
    let signal: AbortSignal | undefined;
    const piped = pipeToChannel(
      stage.msg,
      abortSignal => {
        signal = abortSignal;
        return toUIMessageStream({ stream: streamText({ model, prompt: '?', abortSignal }).stream });
      },
      { channel },
    );
    await eventually('some of it is there', async () => ((await newest()).items?.length ?? 0) > 3);
    await cancel('enough');
    const { status, reason, text } = await piped;
    expect({ status, reason }).toEqual({ status: 'cancelled', reason: 'enough' });
    expect(signal?.aborted).toBe(true);
    expect(model.doStreamCalls[0]?.abortSignal?.aborted).toBe(true);
    const message = await newest();
    expect(message.items?.at(-1)).toMatchObject({ type: 'abort' });
    expect(message.items).toContainEqual({ type: 'text-delta', id: '1', delta: text });
  });

  it('is a text of words as well, over the RPC', async () => {
    const result = await pipeToChannel(
      stage.rpc,
      signal => streamText({ model: mockModel(['a ', 'b']), prompt: '?', abortSignal: signal }).textStream,
      { channel, format: 'text' },
    );
    expect(result).toMatchObject({ status: 'complete', text: 'a b' });
    expect(await newest()).toMatchObject({ status: 'complete', text: 'a b' });
  });
});

describe('a source', () => {
  it('that throws fails the answer, with no more than onError tells', async () => {
    const model = new Model().begin('half');
    const run = await openRun(stage.msg, { channel });
    model.fail(new Error('password=hunter2'));
    expect(await run.pipe(model.stream)).toMatchObject({ status: 'failed', reason: 'internal error' });
    expect((await newest()).items?.at(-1)).toEqual({ type: 'error', errorText: 'internal error' });
    expect(await newest()).toMatchObject({ status: 'failed', reason: 'internal error' });
  });

  it('that throws fails a text too; a long reason is cut within a character', async () => {
    const run = await openRun(stage.msg, { channel, format: 'text' });
    const errorText = 'ü'.repeat(200);
    const source = (async function* () {
      yield 'half';
      throw new Error('x');
    })();
    const result = await run.pipe(source, { onError: () => errorText });
    expect(result).toMatchObject({ status: 'failed', reason: errorText, text: 'half' });
    expect(await newest()).toMatchObject({ status: 'failed', reason: 'ü'.repeat(128), text: 'half' });
  });

  it('that does not end after a stop is cancelled after 4 s', async () => {
    const clock = new ManualClock();
    const model = new Model().begin('and so on');
    const run = await openRun(stage.msg, { channel }, clock);
    const piped = run.pipe(model.stream);
    await eventually('it is there', isThere);
    await cancel('enough');
    await eventually('the run hears of it', () => run.signal.aborted);
    await clock.advance(3999);
    expect(model.isCancelled).toBe(false);
    await clock.advance(1);
    expect(await piped).toMatchObject({ status: 'cancelled', reason: 'enough', text: 'and so on' });
    expect(model.isCancelled).toBe(true);
  });

  it('that throws because it was stopped has not failed', async () => {
    const model = new Model().begin('half');
    const run = await openRun(stage.msg, { channel });
    run.signal.addEventListener('abort', () => model.fail(run.signal.reason));
    const piped = run.pipe(model.stream);
    await cancel('');
    expect(await piped).toMatchObject({ status: 'cancelled', reason: '' });
  });

  it('that was ready when it was stopped is complete', async () => {
    const model = new Model().begin('ready');
    const run = await openRun(stage.msg, { channel });
    run.signal.addEventListener('abort', () => model.finish());
    const piped = run.pipe(model.stream);
    await cancel('too late');
    expect(await piped).toMatchObject({ status: 'complete', text: 'ready' });
  });

  it('is cancelled when the answer is too large, and the pipe says why', async () => {
    const model = new Model().begin('x'.repeat(300_000));
    const run = await openRun(stage.msg, { channel });
    await expect(run.pipe(model.stream)).rejects.toMatchObject({ code: 'MSG_APPEND_TOO_LARGE' });
    expect(model.isCancelled).toBe(true);
    expect(run.signal.aborted).toBe(true);
    expect(await newest()).toMatchObject({ status: 'failed', reason: 'too large' });
  });

  it('whose message another worker has taken over ends without touching it', async () => {
    const model = new Model().begin('mine ');
    const run = await openRun(stage.msg, { channel });
    const piped = run.pipe(model.stream);
    await eventually('it is there', isThere);
    const other = await stage.msg.resumeStream(channel, run.message);
    model.words('too late');
    await expect(piped).rejects.toMatchObject({ code: 'MSG_APPEND_FENCED' });
    await other.complete();
    expect(JSON.stringify(await newest())).not.toContain('too late');
  });
});

describe('a run', () => {
  it('is refused while another answer is open', async () => {
    await using first = await stage.msg.appendStream(channel);
    await expect(openRun(stage.msg, { channel })).rejects.toMatchObject({ code: 'MSG_APPEND_BUSY' });
    expect(first.isGoing).toBe(true);
  });

  it('that is left without an end has failed', async () => {
    {
      await using run = await openRun(stage.msg, { channel, meta: { model: 'mock' }, run: 'r1' });
      expect(await newest()).toMatchObject({
        id: run.message,
        run: 'r1',
        meta: { model: 'mock' },
        items: [],
      });
    }
    expect(await newest()).toMatchObject({ status: 'failed', reason: 'abandoned' });
  });
});
