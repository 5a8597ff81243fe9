// What a channel and its service do around a message that grows: rates, activity, deletion, credentials.
import { appendStream, createRpcClient } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';

const NAME = 'private:shop.chat.7';
const CHANNELS = { rules: [{ pattern: 'private:shop.**', append: true, appendWindowMs: 0 }] };

afterEach(stopEmbedded);

type Settings = Parameters<typeof embed>[0];

async function start(settings: Settings = {}) {
  const service = await embed({ channels: CHANNELS, ...settings });
  const rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  const create = (ttl_seconds = 0) => rpc('CreatePrivate', { name: NAME, ttl_seconds });
  const append = async (request: object) => {
    const { status, code, body } = await rpc('Append', {
      name: NAME,
      message: 'm',
      producer: 'p',
      ...request,
    });
    return code ?? body['seq'] ?? status;
  };
  return { service, rpc, create, append };
}

describe('the rate limit of append', () => {
  const once = { rate: 1, perMs: 60_000, burst: 0 };

  it('counts requests with operations; neither heartbeats nor publications', async () => {
    const { service, rpc, create, append } = await start({ rateLimits: { append: once } });
    await create();
    expect(await append({ seq: 1, text: 'a' })).toBe(1);
    expect(await append({ seq: 2, text: 'b' })).toBe('MSG_RATE_LIMITED');
    const metrics = await scrape(service.url);
    expect(metrics.value('msg_append_requests_total', { result: 'refused' })).toBe(1);
    expect(await append({})).toBe(1);
    for (let n = 0; n < 3; n++) expect((await rpc('Publish', { name: NAME, data: 'MQ==' })).status).toBe(200);
  });

  it('is another one than that of publications', async () => {
    const { rpc, create, append } = await start({ rateLimits: { publish: once } });
    await create();
    for (let seq = 1; seq <= 3; seq++) expect(await append({ seq, text: 'a' })).toBe(seq);
    expect((await rpc('Publish', { name: NAME, data: 'MQ==' })).status).toBe(200);
    expect((await rpc('Publish', { name: NAME, data: 'MQ==' })).code).toBe('MSG_RATE_LIMITED');
  });

  it('is waited for by a writer as long as it says', async () => {
    const { service, create } = await start({ rateLimits: { append: { rate: 1, perMs: 1500, burst: 0 } } });
    await create();
    const refusals: (string | null)[] = [];
    const client = createRpcClient<AbortSignal>({
      server: service.url,
      token: service.msg.tokens.issueManagement('backend').token,
      fetch: async (url, init) => {
        const answer = await fetch(url, init);
        if (answer.status === 429) refusals.push(answer.headers.get('retry-after'));
        return answer;
      },
    });
    const stream = await appendStream(client, NAME, { message: 'm' });
    await stream.write('so far');
    expect(await stream.complete()).toMatchObject({ status: 'complete' });
    // Nothing was tried before its time.
    expect(refusals.length).toBeLessThanOrEqual(2);
    expect(refusals.every(seconds => Number(seconds) > 0)).toBe(true);
  });
});

describe('a service', () => {
  it('no more messages are open in its memory than the limit says', async () => {
    const { rpc, create, append } = await start({ limits: { appendStreams: 1 } });
    await create();
    const other = 'private:shop.chat.8';
    await rpc('CreatePrivate', { name: other });
    expect(await append({ seq: 1, text: 'a' })).toBe(1);
    const opening = () => append({ name: other, seq: 1, text: 'a' });
    expect(await opening()).toBe('MSG_RATE_LIMITED');
    expect(await append({ seq: 2, ops: [{ status: 'complete' }] })).toBe(2);
    expect(await opening()).toBe(1);
  });

  it('records cancels, and not what is appended; it counts each refusal by its code', async () => {
    const { service, rpc, create, append } = await start();
    await create();
    const before = (await rpc('AuditList', { limit: 100 })).body['records'] as object[];
    const refused: object[] = [
      {}, // no message yet
      { seq: 1, text: 'a' },
      { message: 'n', seq: 1, text: 'a' },
      { seq: 3, text: 'a' },
      { seq: 2, text: 'a', producer: 'q' },
      { seq: 2, text: 'x'.repeat(300_000) },
      { seq: 2, ops: [{}] },
      {},
    ];
    for (const request of refused) await append(request);
    await rpc('AppendCancel', { name: NAME, reason: 'enough' });
    await append({ seq: 2, ops: [{ status: 'cancelled' }] });
    await append({ seq: 3, text: 'a' });
    const metrics = await scrape(service.url);
    const results = [
      'not_found',
      'applied',
      'busy',
      'gap',
      'fenced',
      'too_large',
      'refused',
      'heartbeat',
      'closed',
    ];
    const counts = results.map(result => metrics.value('msg_append_requests_total', { result }));
    expect(counts).toEqual([1, 2, 1, 1, 1, 1, 1, 1, 1]);
    const records = (await rpc('AuditList', { limit: 100 })).body['records'] as { method: string }[];
    expect(records.slice(0, records.length - before.length)).toMatchObject([
      { method: 'AppendCancel', actor: 'ann', target: `channel:${NAME}` },
    ]);
  });
});

describe('a channel with an open message', () => {
  it('stays there as long as its producer says something, if only heartbeats', async () => {
    const clock = new ManualClock();
    const { rpc, create, append } = await start({ clock });
    await create(60);
    expect(await append({ seq: 1, text: 'a', orphan_seconds: 3600 })).toBe(1);
    for (let n = 0; n < 4; n++) {
      await clock.advance(40_000);
      expect(await append(n % 2 === 0 ? {} : { seq: 2, text: 'b' })).toBe(n === 0 ? 1 : 2);
    }
    await clock.advance(200_000);
    expect((await rpc('AppendState', { name: NAME })).code).toBe('MSG_CHANNEL_NOT_FOUND');
  });

  it('takes it along when it is deleted', async () => {
    const { service, rpc, create, append } = await start();
    await create();
    await append({ seq: 1, text: 'a' });
    const open = async () => (await scrape(service.url)).value('msg_append_streams_open');
    expect(await open()).toBe(1);
    await rpc('DeleteChannel', { name: NAME });
    expect(await open()).toBe(0);
    expect(await append({ seq: 2, text: 'b' })).toBe('MSG_CHANNEL_NOT_FOUND');
    expect((await rpc('AppendState', { name: NAME })).code).toBe('MSG_CHANNEL_NOT_FOUND');
  });
});

describe('a writer whose token has expired', () => {
  /** Answers with these tokens, one for each call, the last one again and again. */
  function tokens({ msg }: Embedded, clock: ManualClock, ...which: ('good' | 'old')[]) {
    const old = msg.tokens.issueManagement('backend', 60_000).token;
    clock.jump(10 * 86_400_000);
    const good = msg.tokens.issueManagement('backend').token;
    let calls = 0;
    const next = (): string => ((which[calls++] ?? which.at(-1)) === 'old' ? old : good);
    return { next, calls: () => calls };
  }

  async function client(...which: ('good' | 'old')[]) {
    const clock = new ManualClock();
    const { service, create } = await start({ clock });
    await create();
    const { next, calls } = tokens(service, clock, ...which);
    return { rpc: createRpcClient<AbortSignal>({ server: service.url, token: next, fetch }), calls };
  }

  it('asks its source once more and goes on', async () => {
    const { rpc } = await client('old', 'good');
    const stream = await appendStream(rpc, NAME, { message: 'm' });
    expect(await stream.complete()).toMatchObject({ status: 'complete' });
  });

  it('gives up when that one has expired too', async () => {
    const { rpc, calls } = await client('old');
    await expect(appendStream(rpc, NAME, { message: 'm' })).rejects.toMatchObject({
      code: 'MSG_AUTH_EXPIRED',
    });
    expect(calls()).toBe(2);
  });
});
