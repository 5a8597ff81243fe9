import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const NAME = 'public:shop.chat.7';
const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64');

/** A document whose meta names its model, and whose items are parts of an answer. */
const SCHEMA = {
  pattern: 'public:shop.chat.{id}',
  description: 'answers',
  aspects: {
    answer: {
      payload_schema: {
        type: 'object',
        required: ['id', 'status'],
        properties: {
          meta: { type: 'object', required: ['model'], properties: { model: { type: 'string' } } },
          text: { type: 'string' },
          items: {
            type: 'array',
            items: {
              type: 'object',
              required: ['type'],
              properties: { type: { type: 'string' }, delta: { type: 'string' } },
              additionalProperties: false,
            },
          },
        },
      },
    },
  },
};

let service: Embedded;
let rpc: ReturnType<typeof rpcOf>;
const append = (request: object) => rpc('Append', { name: NAME, message: 'm', producer: 'p', ...request });

async function start(mode: 'strict' | 'warn'): Promise<void> {
  service = await embed({
    channels: {
      rules: [{ pattern: 'public:shop.**', append: true, appendWindowMs: 0 }],
      open: [{ pattern: 'public:shop.**' }],
    },
    schemaValidation: [{ pattern: 'public:shop.**', mode }],
  });
  rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  expect((await rpc('RegisterSchema', { schema: SCHEMA })).status).toBe(200);
}

async function documentOf(): Promise<unknown> {
  const { body } = await rpc('AppendState', { name: NAME, with_document: true });
  return JSON.parse(Buffer.from(String(body['document']), 'base64').toString());
}

afterEach(stopEmbedded);

describe('an append stream and a strict schema', () => {
  beforeEach(() => start('strict'));

  it('takes a text, whatever it says, and the meta that the schema allows', async () => {
    const ops = [{ meta: base64({ model: 'x' }) }, { text: '{"not": "checked"' }];
    expect((await append({ seq: 1, ops })).status).toBe(200);
    const { status, code, body } = await append({ seq: 3, ops: [{ text: 'more' }, { meta: base64({}) }] });
    expect([status, code]).toEqual([400, 'MSG_INVALID_ARGUMENT']);
    expect(body['msg']).toContain('$.meta.model is required');
    // Nothing of the request was applied.
    expect(await documentOf()).toMatchObject({ meta: { model: 'x' }, text: '{"not": "checked"' });
    expect((await append({ seq: 3, ops: [{ status: 'complete' }] })).body['status']).toBe('complete');
  });

  it('refuses a message at its opening', async () => {
    expect((await append({ seq: 1, ops: [{ meta: base64({ model: 7 }) }, { text: 'x' }] })).code).toBe(
      'MSG_INVALID_ARGUMENT',
    );
    expect((await rpc('AppendState', { name: NAME })).code).toBe('MSG_APPEND_NOT_FOUND');
  });

  it('sees each item, its open member as a string', async () => {
    const part = { type: 'reasoning' };
    const opened = await append({
      seq: 1,
      format: 'items',
      ops: [{ item: base64(part), open: 'delta' }, { text: 'so' }, { item: base64({ type: 'finish' }) }],
    });
    expect(opened.status).toBe(200);
    const refused = await append({ seq: 4, ops: [{ item: base64(part) }, { item: base64({ kind: 'x' }) }] });
    expect([refused.status, refused.code]).toEqual([400, 'MSG_INVALID_ARGUMENT']);
    expect(refused.body['msg']).toContain('$.items[0].type is required');
    const open = await append({ seq: 4, ops: [{ item: base64(part), open: 'other' }] });
    expect(open.code).toBe('MSG_INVALID_ARGUMENT');
    expect(await documentOf()).toMatchObject({
      items: [{ type: 'reasoning', delta: 'so' }, { type: 'finish' }],
    });
  });
});

describe('an append stream and a schema that only warns', () => {
  beforeEach(() => start('warn'));

  it('takes what does not fit', async () => {
    expect((await append({ seq: 1, ops: [{ meta: base64({}) }, { text: 'x' }] })).status).toBe(200);
    expect(await documentOf()).toMatchObject({ meta: {}, text: 'x' });
  });
});
