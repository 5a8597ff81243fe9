// What stands before append streams: bearers, rates, channels and options, in the order of append streams 5.1.
import type { MsgOptions } from '@msg/server';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../embedded.ts';
import { rpcOf } from '../rpc.ts';
import { base64, REQUEST } from './refused-request.ts';

const OPEN = 'public:shop.chat.1';
const PLAIN = 'public:news.day.1';
const CLOSED = 'public:till.day.1';
const STRICT = 'public:shop.strict.1';
const SCHEMA = {
  pattern: 'public:shop.strict.{id}',
  description: 'answers',
  aspects: { answer: { payload_schema: { type: 'object', required: ['meta'] } } },
};

/** Runs every row of what is checked first on a service with these options. */
export function checksInOrder(options: () => MsgOptions): void {
  let service: Embedded;
  const rpc = (token: string) => rpcOf(service.url, token);
  const bearer = (subject = 'ann'): string => service.msg.tokens.issueManagement(subject).token;

  beforeAll(async () => {
    service = await embed({
      ...options(),
      rateLimits: { append: { rate: 1, perMs: 3_600_000, burst: 0 } },
      channels: {
        rules: ['public:shop.**', 'public:till.**'].map(pattern => ({ pattern, append: true })),
        open: [{ pattern: 'public:shop.**' }, { pattern: 'public:news.**' }],
      },
      schemaValidation: [{ pattern: 'public:shop.strict.*', mode: 'strict' }],
    });
    await service.msg.channels.openPublic(CLOSED);
    await service.msg.channels.closePublic(CLOSED);
    const { status } = await rpc(bearer())('RegisterSchema', { schema: SCHEMA });
    expect(status).toBe(200);
  });
  afterAll(stopEmbedded);

  const append = (token: string, body: object) => rpc(token)('Append', { ...REQUEST, ...body });
  /** Nothing is open in the channels. */
  async function isUntouched(): Promise<void> {
    const read = rpc(bearer());
    for (const name of [OPEN, CLOSED, STRICT])
      expect((await read('AppendState', { name })).code, name).toMatch(/NOT_FOUND$/);
  }

  const WRONG = { seq: 1, text: 'half \ud83d' };
  const LARGE = 'x'.repeat(300_000);

  it.each<[string, object, number, string, string?]>([
    ['the name before the channel', { name: 'shop', ...WRONG }, 400, 'MSG_CHANNEL_INVALID'],
    ['the name before a heartbeat', { name: 'shop' }, 400, 'MSG_CHANNEL_INVALID'],
    ['the channel before the shape', { name: 'private:shop.chat.1', ...WRONG }, 404, 'MSG_CHANNEL_NOT_FOUND'],
    [
      'the channel before the members',
      { name: 'private:shop.chat.1', seq: 1, ops: [{}] },
      404,
      'MSG_CHANNEL_NOT_FOUND',
    ],
    ['a closed channel before the shape', { name: CLOSED, ...WRONG }, 412, 'MSG_CHANNEL_CLOSED'],
    [
      'the option before the shape',
      { name: PLAIN, ...WRONG },
      400,
      'MSG_INVALID_ARGUMENT',
      'its channel option append is off',
    ],
    [
      'the option before the members',
      { name: PLAIN, seq: 1, ops: [{}] },
      400,
      'MSG_INVALID_ARGUMENT',
      'its channel option append is off',
    ],
    [
      'the shape before the numbers',
      { name: OPEN, seq: 7, text: 'half \ud83d' },
      400,
      'MSG_INVALID_ARGUMENT',
      'half of a surrogate pair',
    ],
    [
      'the schema before the numbers',
      { name: STRICT, seq: 7, text: 'x' },
      400,
      'MSG_INVALID_ARGUMENT',
      '$.meta is required',
    ],
    ['the numbers before the size', { name: OPEN, seq: 7, text: LARGE }, 404, 'MSG_APPEND_NOT_FOUND'],
    [
      'the schema before the size',
      { name: STRICT, seq: 1, text: LARGE },
      400,
      'MSG_INVALID_ARGUMENT',
      '$.meta is required',
    ],
  ])('%s', async (what, body, status, code, says = '') => {
    const answer = await append(bearer(what), body);
    expect([answer.status, answer.code]).toEqual([status, code]);
    expect(answer.body['msg']).toContain(says);
    await isUntouched();
  });

  it('the bearer before the rate, the rate before the name; neither reads nor heartbeats have a rate', async () => {
    const anybody = await rpcOf(service.url)('Append', { name: OPEN, ...REQUEST, ...WRONG });
    expect([anybody.status, anybody.code]).toEqual([401, 'MSG_AUTH_DENIED']);
    const { access_token } = await service.msg.tokens.issueAccess({
      subject: 'ann',
      scopes: [{ pattern: OPEN, verbs: ['publish'] }],
    });
    const reader = service.msg.tokens.issueManagement('key', 0, {
      scopes: [{ pattern: OPEN, verbs: ['subscribe'] }],
    });
    const viewer = service.msg.tokens.issueManagement('eve', 0, { role: 'viewer' });
    for (const [token, denied] of [
      [access_token, 401], // no bearer of the RPC
      [reader.token, 403],
      [viewer.token, 403],
    ] as const)
      for (const [method, body] of [
        ['Append', { ...REQUEST, seq: 1, text: 'x' }],
        ['Append', { ...REQUEST, seq: 1, text: 'x' }],
        ['AppendCancel', {}],
      ] as const) {
        const { status, code } = await rpc(token)(method, { name: OPEN, ...body });
        expect([method, status, code]).toEqual([method, denied, 'MSG_AUTH_DENIED']);
      }
    expect((await rpc(access_token)('AppendState', { name: OPEN })).code).toBe('MSG_AUTH_DENIED');
    const often = bearer('often');
    expect((await append(often, { name: OPEN, seq: 7, ops: [{ item: base64(1) }] })).code).toBe(
      'MSG_APPEND_NOT_FOUND',
    );
    const limited = await append(often, { name: 'shop', ...WRONG });
    expect([limited.status, limited.code]).toEqual([429, 'MSG_RATE_LIMITED']);
    expect(limited.headers.get('retry-after')).toBeTruthy();
    expect((await append(often, { name: OPEN })).code).toBe('MSG_APPEND_NOT_FOUND');
    await isUntouched();
  });

  it.each([
    ['AppendState', 'shop', 'MSG_CHANNEL_INVALID'],
    ['AppendState', 'private:shop.chat.1', 'MSG_CHANNEL_NOT_FOUND'],
    ['AppendState', CLOSED, 'MSG_APPEND_NOT_FOUND'],
    ['AppendState', PLAIN, 'MSG_INVALID_ARGUMENT'],
    ['AppendCancel', 'shop', 'MSG_CHANNEL_INVALID'],
    ['AppendCancel', 'private:shop.chat.1', 'MSG_CHANNEL_NOT_FOUND'],
    ['AppendCancel', CLOSED, 'MSG_CHANNEL_CLOSED'],
    ['AppendCancel', PLAIN, 'MSG_INVALID_ARGUMENT'],
  ] as const)('%s of %s is %s', async (method, name, code) => {
    expect((await rpc(bearer())(method, { name })).code).toBe(code);
    if (method === 'AppendState')
      expect((await rpc(bearer())(method, { name, wait_seconds: 25 })).code).toBe(code);
  });

  it('64 cancels wait for their messages, and no more', async () => {
    const call = rpc(bearer());
    const name = 'public:shop.early.1';
    const cancel = (input: string) => call('AppendCancel', { name, input });
    const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => cancel(`i${n}`)));
    expect(answers.map(({ status }) => status)).toEqual(new Array(64).fill(200));
    const { status, code } = await cancel('one-more');
    expect([status, code]).toEqual([429, 'MSG_RATE_LIMITED']);
    // A repeated one is not one more.
    expect((await cancel('i3')).status).toBe(200);
    const opened = await append(bearer('writer'), { name, seq: 1, text: 'x', input: 'one-more' });
    expect(opened.body['cancel']).toBeNull();
  });
}
