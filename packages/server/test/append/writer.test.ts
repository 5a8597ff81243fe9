import { type AppendStreamOptions, appendStream, createRpcClient, resumeStream } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { closeClients, follow, received, stockClient } from '../support/stock-client.ts';

const NAME = 'public:shop.chat.7';
const CHANNELS = {
  rules: [{ pattern: 'public:shop.**', append: true, appendWindowMs: 0, appendMaxBytes: 8192 }],
  open: [{ pattern: 'public:shop.**' }],
};

let service: Embedded;
beforeEach(async () => {
  service = await embed({ channels: CHANNELS });
});
afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

type Fetch = typeof globalThis.fetch;

/** A client of the RPC whose requests go through `through`. */
function clientOf(
  through: (send: () => ReturnType<Fetch>, body: string) => ReturnType<Fetch> = send => send(),
) {
  return createRpcClient<AbortSignal>({
    server: 'http://msg',
    token: () => service.msg.tokens.issueManagement('backend').token,
    // The service may be another one than a moment ago.
    fetch: (url, init) => through(() => fetch(url.replace('http://msg', service.url), init), init.body),
  });
}

/** The documents that a stock client with delta sees. */
async function reader(name = NAME) {
  const client = stockClient(service.websocketUrl);
  const { subscription } = await follow(client, name);
  const publications = received(subscription);
  return () => publications.map(({ data }) => data);
}

async function documentOf(message: string): Promise<Record<string, unknown>> {
  const client = clientOf();
  const { document } = await client.call('AppendState', { name: NAME, message, with_document: true });
  return JSON.parse(Buffer.from(document ?? []).toString());
}

const MESSAGE: AppendStreamOptions = { message: 'm', run: 'r1', input: 'i1', meta: { model: 'x' } };

describe.each(['in the process', 'over the RPC'])('a writer %s', way => {
  const open = (options: AppendStreamOptions = MESSAGE) =>
    way === 'in the process'
      ? service.msg.appendStream(NAME, options)
      : appendStream(clientOf(), NAME, options);

  it('lets a message grow, whole characters at a time, and ends it', async () => {
    const seen = await reader();
    const stream = await open();
    await stream.write('Gr\ud83d');
    await stream.write('\udc4b');
    for (const byte of Buffer.from('üß')) await stream.write(new Uint8Array([byte]));
    const result = await stream.complete({ reason: 'stop', meta: { tokens: 3 } });
    expect(result).toMatchObject({ message: 'm', status: 'complete', reason: 'stop' });
    expect(await documentOf('m')).toEqual({
      id: 'm',
      status: 'complete',
      reason: 'stop',
      run: 'r1',
      input: 'i1',
      meta: { tokens: 3 },
      text: 'Gr👋üß',
    });
    await eventually('the end arrives', () => seen().some(({ status }) => status === 'complete'));
    await expect(stream.write('late')).rejects.toMatchObject({ code: 'MSG_APPEND_CLOSED' });
  });

  it('takes items, and leaves a string open in one', async () => {
    const stream = await open({ message: 'm', format: 'items' });
    await stream.write({ item: { type: 'reasoning' }, open: 'delta' });
    await stream.write('so ');
    await stream.write('far');
    await stream.write({ item: 7 });
    await stream.complete();
    expect((await documentOf('m'))['items']).toEqual([{ type: 'reasoning', delta: 'so far' }, 7]);
  });

  it('is refused at once while another message is open', async () => {
    const stream = await open();
    await expect(open({ message: 'n' })).rejects.toMatchObject({
      code: 'MSG_APPEND_BUSY',
      meta: { message: 'm' },
    });
    await stream.fail('enough');
  });

  it('pipes a source and ends as it ends; a cancel stops reading', async () => {
    async function* words() {
      yield 'one ';
      yield 'two';
    }
    expect(await (await open()).pipe(words())).toMatchObject({ status: 'complete' });
    expect((await documentOf('m'))['text']).toBe('one two');
    async function* broken() {
      yield 'half';
      throw new Error('the model failed');
    }
    await expect((await open({ message: 'n' })).pipe(broken())).rejects.toThrow('the model failed');
    expect(await documentOf('n')).toMatchObject({
      status: 'failed',
      reason: 'the source failed',
      text: 'half',
    });
    let isReturned = false;
    async function* endless() {
      try {
        for (;;) {
          yield 'x';
          await new Promise(resolve => setTimeout(resolve, 5));
        }
      } finally {
        isReturned = true;
      }
    }
    const stream = await open({ message: 'o' });
    const piped = stream.pipe(endless());
    await clientOf().call('AppendCancel', { name: NAME, reason: 'enough' });
    expect(await piped).toMatchObject({ status: 'cancelled', reason: 'enough' });
    await eventually('the source is closed', () => isReturned);
    const readable = new ReadableStream<string>({
      start(controller) {
        controller.enqueue('streamed');
        controller.close();
      },
    });
    await readable.pipeTo((await open({ message: 'q' })).writable);
    expect(await documentOf('q')).toMatchObject({ status: 'complete', text: 'streamed' });
  });

  it('leaving its block without an end is a failure', async () => {
    {
      await using stream = await open();
      await stream.write('half');
    }
    expect(await documentOf('m')).toMatchObject({ status: 'failed', reason: 'abandoned', text: 'half' });
  });

  it('goes on in the next message when one is full, or fails', async () => {
    const stream = await open({ message: 'm', onFull: 'roll' });
    const line = 'All work and no play makes Jack a dull boy.\n';
    for (let n = 0; n < 400; n++) await stream.write(line);
    const { message } = await stream.complete();
    expect(message).toBe('m~3');
    const parts = await Promise.all(['m', 'm~2', 'm~3'].map(documentOf));
    expect(parts.map(({ text }) => text).join('')).toBe(line.repeat(400));
    expect(parts.map(({ reason }) => reason)).toEqual(['continued in m~2', 'continued in m~3', undefined]);
    const full = await open({ message: 'n' });
    await full.write('x'.repeat(9000));
    await expect(full.complete()).rejects.toMatchObject({ code: 'MSG_APPEND_TOO_LARGE' });
    expect(full.signal.reason).toMatchObject({ code: 'MSG_APPEND_TOO_LARGE' });
    expect(await documentOf('n')).toMatchObject({ status: 'failed', reason: 'too large' });
  });

  it('another worker takes it over and goes on; the first one hears of it', async () => {
    const first = await open();
    await first.write('half ');
    await eventually('it is stored', async () => (await documentOf('m'))['text'] === 'half ');
    const second =
      way === 'in the process'
        ? await service.msg.resumeStream(NAME)
        : await resumeStream(clientOf(), NAME, 'm');
    expect(second.resumed).toMatchObject({ text: 'half ' });
    await eventually('the first one is told', () => first.signal.aborted);
    expect(first.signal.reason).toMatchObject({ code: 'MSG_APPEND_FENCED' });
    await expect(first.write('x')).rejects.toMatchObject({ code: 'MSG_APPEND_FENCED' });
    await second.write('and half');
    await second.complete();
    expect((await documentOf('m'))['text']).toBe('half and half');
    await expect(service.msg.resumeStream(NAME, 'm')).rejects.toMatchObject({ code: 'MSG_APPEND_CLOSED' });
  });
});

describe('a writer and requests that fail', () => {
  it.each([1, 2, 3])(
    'nothing is doubled or lost, seed %i',
    async seed => {
      let state = seed;
      const next = (): number => {
        state = (state * 48_271) % 2_147_483_647;
        return state / 2_147_483_647;
      };
      const client = clientOf(async (send, body) => {
        if (!body.includes('"producer"')) return send();
        const dice = next();
        if (dice < 0.15) throw new TypeError('no connection');
        const answer = await send();
        if (dice < 0.3) throw new TypeError('the answer is lost');
        return answer;
      });
      const seen = await reader();
      const stream = await appendStream(client, NAME, { message: 'm' });
      let text = '';
      for (let n = 0; n < 40; n++) {
        const word = `${n} `;
        text += word;
        await stream.write(word);
        if (next() < 0.5) await new Promise(resolve => setTimeout(resolve, 2));
      }
      await stream.complete();
      expect((await documentOf('m'))['text']).toBe(text);
      await eventually('the end arrives', () => seen().at(-1)?.status === 'complete');
      const texts = seen().map(document => String(document.text));
      expect(texts.every(part => text.startsWith(part))).toBe(true);
      expect(texts.at(-1)).toBe(text);
    },
    30_000,
  );

  it('opens its message again in a service that lost it', async () => {
    const stream = await appendStream(clientOf(), NAME, { message: 'm' });
    await stream.write('before ');
    await eventually('it is stored', async () => (await documentOf('m'))['text'] === 'before ');
    await service.stop();
    service = await embed({ channels: CHANNELS });
    await stream.write('and after');
    await stream.complete();
    expect(await documentOf('m')).toMatchObject({ status: 'complete', text: 'before and after' });
  });

  it('keeps a silent message alive; without a producer it ends as orphaned', async () => {
    await service.stop();
    const clock = new ManualClock();
    service = await embed({ channels: CHANNELS, clock });
    const stream = await service.msg.appendStream(NAME, { message: 'm', orphanTimeout: 5000 });
    await clock.advance(60_000);
    expect(await documentOf('m')).toMatchObject({ status: 'streaming' });
    await stream.complete();
    const request = { name: NAME, message: 'n', producer: 'gone', seq: 1, text: 'half', orphan_seconds: 5 };
    await clientOf().call('Append', request);
    await clock.advance(60_000);
    expect(await documentOf('n')).toMatchObject({ status: 'failed', reason: 'orphaned', text: 'half' });
  });

  it('gives up after its time', async () => {
    let isDown = false;
    const client = clientOf(send => (isDown ? Promise.reject(new TypeError('down')) : send()));
    const lost = await appendStream(client, NAME, { message: 'n', retryFor: 300 });
    isDown = true;
    await lost.write('x');
    await expect(lost.complete()).rejects.toMatchObject({ code: 'MSG_BROKER_NOT_READY' });
    expect(lost.signal.aborted).toBe(true);
  });

  it('a write waits while the service does not take what was written', async () => {
    const gate = Promise.withResolvers<void>();
    let held = -1; // the first request opens the message
    const client = clientOf((send, body) =>
      body.includes('"producer"') && ++held > 0 ? gate.promise.then(send) : send(),
    );
    const stream = await appendStream(client, NAME, { message: 'm', onFull: 'roll' });
    await stream.write('x'.repeat(1000));
    await eventually('a request is under way', () => held > 0);
    await stream.write('x'.repeat(60_000));
    let isTaken = false;
    const write = stream.write('x'.repeat(60_000)).then(() => {
      isTaken = true;
    });
    // A write that does not wait is taken before the service can answer anything else.
    await documentOf('m');
    expect(isTaken).toBe(false);
    gate.resolve();
    await write;
    await stream.complete();
  });

  it('the end of a full message is its own, also when a read hears of it before the answer comes', async () => {
    const heard = Promise.withResolvers<void>();
    let hasTold = false;
    const client = clientOf(async (send, body) => {
      const isRead = body.includes('"wait_seconds"');
      if (isRead && hasTold) heard.resolve(); // the writer reads again
      const answer = await send();
      if (body.includes('continued in m~2')) await heard.promise;
      if (!isRead) return answer;
      const text = await answer.text();
      hasTold ||= text.includes('"complete"');
      return new Response(text, answer);
    });
    const stream = await appendStream(client, NAME, { message: 'm', onFull: 'roll' });
    stream.signal.addEventListener('abort', () => heard.resolve());
    await stream.write('x'.repeat(6000));
    await eventually('it is stored', async () => (await documentOf('m'))['text'] !== '');
    await stream.write('y'.repeat(6000));
    await eventually(
      'it has ended the first one',
      async () => (await documentOf('m'))['status'] === 'complete',
    );
    await heard.promise;
    expect(await stream.complete()).toMatchObject({ message: 'm~2' });
    expect(await documentOf('m')).toMatchObject({ status: 'complete', reason: 'continued in m~2' });
  });

  it('a client with several addresses goes to the next when one does not answer', async () => {
    const client = createRpcClient<AbortSignal>({
      server: ['http://127.0.0.1:1', service.url],
      token: service.msg.tokens.issueManagement('backend').token,
      fetch,
    });
    const stream = await appendStream(client, NAME, { message: 'm' });
    await stream.complete();
    expect(await documentOf('m')).toMatchObject({ status: 'complete' });
  });
});
