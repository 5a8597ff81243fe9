import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';

const NAME = 'public:shop.chat.7.r1';
const CHANNELS = {
  rules: [{ pattern: 'public:shop.chat.**', append: true, appendWindowMs: 0 }],
  open: [{ pattern: 'public:shop.**' }],
};

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');
/** Appends as producer p to message m. */
const append = (request: object) => rpc('Append', { name: NAME, message: 'm', producer: 'p', ...request });
const state = async (request: object = {}) => (await rpc('AppendState', { name: NAME, ...request })).body;
const documentOf = async () => {
  const { document } = await state({ with_document: true });
  return JSON.parse(Buffer.from(String(document), 'base64').toString());
};

beforeEach(async () => {
  service = await embed({ channels: CHANNELS });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
});
afterEach(stopEmbedded);

describe('Append', () => {
  it('opens a message, lets it grow and ends it', async () => {
    const opened = await append({ seq: 1, text: 'Hello', run: 'r1', input: 'i1' });
    expect([opened.status, opened.body]).toMatchObject([
      200,
      { seq: 1, offset: 1, status: 'streaming', duplicates: 0, cancel: null, outcome: '' },
    ]);
    await append({ seq: 2, ops: [{ text: ' wor' }, { meta: base64({ model: 'x' }) }, { text: 'ld' }] });
    expect(await documentOf()).toEqual({
      id: 'm',
      status: 'streaming',
      run: 'r1',
      input: 'i1',
      meta: { model: 'x' },
      text: 'Hello world',
    });
    const { body } = await append({ seq: 5, ops: [{ status: 'complete', reason: 'stop' }] });
    expect(body).toMatchObject({ seq: 5, offset: 3, status: 'complete' });
    expect(await state()).toMatchObject({
      message: 'm',
      status: 'complete',
      reason: 'stop',
      expected_seq: 6,
    });
  });

  it('takes items, one of them open', async () => {
    const part = { type: 'text', id: '1' };
    await append({ seq: 1, format: 'items', ops: [{ item: base64(part), open: 'delta' }, { text: 'a"b' }] });
    await append({ seq: 3, ops: [{ item: base64([1.5, null]) }] });
    expect((await documentOf()).items).toEqual([{ ...part, delta: 'a"b' }, [1.5, null]]);
  });

  it('tells what comes next, in each refusal', async () => {
    const refused = async (request: object) => {
      const { status, body } = await append(request);
      return [status, body['code'], body['meta']];
    };
    expect(await refused({ seq: 2, text: 'x' })).toEqual([
      404,
      'not_found',
      { code: 'MSG_APPEND_NOT_FOUND', expected_seq: '1' },
    ]);
    await append({ seq: 1, text: 'a' });
    expect(await refused({ seq: 3, text: 'x' })).toEqual([
      412,
      'failed_precondition',
      { code: 'MSG_APPEND_GAP', expected_seq: '2' },
    ]);
    expect(await refused({ seq: 1, message: 'other', text: 'x' })).toEqual([
      409,
      'already_exists',
      { code: 'MSG_APPEND_BUSY', message: 'm' },
    ]);
    expect(await refused({ seq: 2, producer: 'q', text: 'x' })).toEqual([
      409,
      'aborted',
      { code: 'MSG_APPEND_FENCED', producer: 'p', expected_seq: '2' },
    ]);
    expect(await refused({ seq: 2, text: 'x'.repeat(300_000) })).toMatchObject([
      400,
      'out_of_range',
      { code: 'MSG_APPEND_TOO_LARGE', max_bytes: '262144' },
    ]);
    expect(await documentOf()).toMatchObject({ text: 'a' });
    expect((await append({ seq: 2, producer: 'q', text: 'b', take_over: true })).status).toBe(200);
    await append({ seq: 3, producer: 'q', ops: [{ status: 'failed' }] });
    expect(await refused({ seq: 4, producer: 'q', text: 'x' })).toEqual([
      412,
      'failed_precondition',
      { code: 'MSG_APPEND_CLOSED', status: 'failed', seq: '3' },
    ]);
    expect((await append({ seq: 3, producer: 'q', ops: [{ status: 'failed' }] })).body).toMatchObject({
      status: 'failed',
      duplicates: 1,
    });
  });

  it.each([
    [{ seq: 1, text: 'x', ops: [{ text: 'x' }] }, 'text and ops exclude each other'],
    [{ seq: 1, ops: [{}] }, 'ops[0] must have exactly one of text, item, meta and status'],
    [{ seq: 1, ops: [{ text: 'x', status: 'complete' }] }, 'exactly one of'],
    [{ seq: 1, ops: [{ text: 'x', open: 'delta' }] }, 'ops[0].open goes with item'],
    [{ seq: 1, ops: [{ text: 'x', reason: 'y' }] }, 'ops[0].reason goes with status'],
    [{ seq: 1, ops: [{ status: 'done' }] }, 'complete, cancelled or failed'],
    [{ seq: 1, ops: [{ status: 'complete' }, { text: 'x' }] }, 'status must be the last operation'],
    [{ seq: 1, ops: [{ meta: base64(7) }] }, 'ops[0].meta is not a JSON object'],
    [{ seq: 1, text: 'half \ud800' }, 'half of a surrogate pair'],
    [{ seq: 0, text: 'x' }, 'seq must be the number of the first operation'],
    [{ seq: 1, text: 'x', message: 'a b' }, 'message must be 1 to 64 of'],
    [{ seq: 1, text: 'x', producer: '' }, 'producer must be 1 to 64 of'],
    [{ seq: 1, text: 'x', format: 'xml' }, 'format must be text or items'],
    [{ seq: 1, text: 'x', orphan_seconds: 4 }, 'the orphan time must be 5 seconds to 1 hour'],
    [{ seq: 1, text: 'x', or_sink: { sink: 's' } }, 'or_sink goes with a final status'],
    [{ seq: 1, text: 'x', name: 'public:shop.news' }, 'its channel option append is off'],
  ])('refuses %j, and nothing is open then', async (request, text) => {
    const { status, code, body } = await append(request);
    expect([status, code]).toEqual([400, 'MSG_INVALID_ARGUMENT']);
    expect(body['msg']).toContain(text);
    expect((await rpc('AppendState', { name: NAME })).code).toBe('MSG_APPEND_NOT_FOUND');
  });

  it('is in the log at debug level, but for an opening, an end and a refusal', async () => {
    const lines: unknown[] = [];
    const note = (level: string) => (fields: object) => {
      if ('status' in fields) lines.push([level, fields.status]);
    };
    const logger = { debug: note('debug'), info: note('info'), warn() {}, error() {} };
    service = await embed({ channels: CHANNELS, logger });
    rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
    for (const text of ['opens', 'says it again']) await append({ seq: 1, text });
    await append({ seq: 2, ops: [{ text: 'grows' }] });
    await append({ seq: 1 }); // a heartbeat
    await append({ seq: 9, text: 'a gap' });
    await append({ seq: 3, ops: [{ status: 'complete' }] });
    expect(lines).toEqual([
      ['info', 200],
      ['debug', 200],
      ['debug', 200],
      ['debug', 200],
      ['info', 412],
      ['info', 200],
    ]);
  });

  it('refuses more than 1,024 operations', async () => {
    const ops = Array.from({ length: 1025 }, () => ({ text: '' }));
    expect((await append({ seq: 1, ops })).body['msg']).toContain('more than 1024 operations');
  });

  it('is for bearers that may publish there, into channels that are there', async () => {
    const scopes = [{ pattern: NAME, verbs: ['subscribe' as const] }];
    const { token } = service.msg.tokens.issueManagement('key', 0, { scopes });
    const request = { name: NAME, message: 'm', producer: 'p', seq: 1, text: 'x' };
    const answer = await rpcOf(service.url, token)('Append', request);
    expect([answer.status, answer.code]).toEqual([403, 'MSG_AUTH_DENIED']);
    expect((await append({ name: 'private:shop.chat.8', seq: 1, text: 'x' })).code).toBe(
      'MSG_CHANNEL_NOT_FOUND',
    );
  });

  it('sends the text of an end through a sink when nobody is subscribed, once', async () => {
    const sent: unknown[] = [];
    service.msg.sinks.register({
      name: 'mail',
      send: async (recipient, { body }) => void sent.push([recipient, body]),
    });
    await append({ seq: 1, text: 'an answer' });
    const or_sink = { sink: 'mail', recipient: 'ann@example.com' };
    const end = { seq: 2, ops: [{ status: 'complete' }], or_sink };
    expect((await append(end)).body['outcome']).toBe('sent');
    expect((await append(end)).body['outcome']).toBe('sent');
    expect(sent).toEqual([['ann@example.com', 'an answer']]);
    const unknown = { ...end, or_sink: { sink: 'none' } };
    expect((await append({ ...unknown, message: 'n', seq: 1 })).code).toBe('MSG_SINK_CONFIG_INVALID');
  });
});

describe('AppendState and AppendCancel', () => {
  it('a read waits until the message is cancelled, and tells who did', async () => {
    await append({ seq: 1, text: 'a', input: 'i1' });
    const waiting = state({ wait_seconds: 25 });
    const { body } = await rpc('AppendCancel', { name: NAME, input: 'i1', reason: 'enough' });
    expect(body).toMatchObject({ status: 'streaming', cancel: { by: 'ann', reason: 'enough' } });
    expect(await waiting).toMatchObject({ status: 'streaming', cancel: { by: 'ann', reason: 'enough' } });
    expect((await append({ seq: 2, text: 'b' })).body['cancel']).toMatchObject({ reason: 'enough' });
  });

  it('a read waits until the message ends or gets another producer; a fifth is answered at once', async () => {
    await append({ seq: 1, text: 'a' });
    const reads = Array.from({ length: 5 }, () => state({ wait_seconds: 25 }));
    // Whichever comes last; the others wait then.
    expect(await Promise.race(reads)).toMatchObject({ producer: 'p', seq: 1 });
    await append({ seq: 2, producer: 'q', text: 'b', take_over: true });
    const producers = (await Promise.all(reads)).map(({ producer }) => producer);
    expect(producers.toSorted()).toEqual(['p', 'q', 'q', 'q', 'q']);
    const last = state({ wait_seconds: 25 });
    await append({ seq: 3, producer: 'q', ops: [{ status: 'complete' }] });
    expect(await last).toMatchObject({ status: 'complete' });
    expect((await rpc('AppendState', { name: NAME, wait_seconds: 26 })).body['msg']).toBe(
      'wait_seconds must be from 0 to 25; got 26',
    );
  });

  it('a cancel of an input that has not come waits for its message', async () => {
    await append({ seq: 1, text: '', ops: [] });
    await append({ seq: 2, ops: [{ status: 'complete' }] });
    expect((await rpc('AppendCancel', { name: NAME, input: 'i9' })).body).toEqual({
      status: '',
      cancel: null,
    });
    const { body } = await append({ message: 'n', seq: 1, text: 'a', input: 'i9' });
    expect(body['cancel']).toMatchObject({ by: 'ann' });
    expect((await rpc('AppendCancel', { name: NAME, message: 'none' })).code).toBe('MSG_APPEND_NOT_FOUND');
  });

  it('hides documents from viewers, and counts what happened', async () => {
    await append({ seq: 1, text: 'secret' });
    const { token } = service.msg.tokens.issueManagement('eve', 0, { role: 'viewer' });
    const view = rpcOf(service.url, token);
    expect((await view('AppendState', { name: NAME, with_document: true })).body).toMatchObject({
      document: null,
      hidden: true,
      size: 47,
    });
    expect((await view('AppendCancel', { name: NAME })).code).toBe('MSG_AUTH_DENIED');
    await append({ seq: 1, text: 'secret' });
    await append({ seq: 2, ops: [{ status: 'complete' }] });
    const metrics = await scrape(service.url);
    const requests = (result: string) => metrics.value('msg_append_requests_total', { result });
    expect([requests('applied'), requests('duplicate')]).toEqual([2, 1]);
    expect(metrics.value('msg_append_streams_open')).toBe(0);
    expect(metrics.value('msg_append_flushes_total')).toBe(2);
    expect(metrics.value('msg_append_ended_total', { status: 'complete', reason: 'producer' })).toBe(1);
  });
});
