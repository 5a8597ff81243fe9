// Ends that the service does not take as they are: a message never stands open until it is an orphan.
import { type AppendStreamOptions, type AppendWriter, appendStream, createRpcClient } from '@msg/core';
import type { MsgOptions } from '@msg/server';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../embedded.ts';
import { rpcOf } from '../rpc.ts';
import { closeClients, follow, stockClient } from '../stock-client.ts';

/** Runs every row of ends on a service with these options. */
export function endsMessages(options: () => MsgOptions): void {
  let service: Embedded;
  let rpc: ReturnType<typeof rpcOf>;
  let channels = 0;
  let name = '';
  const sent: unknown[] = [];

  beforeAll(async () => {
    const rule = { pattern: 'public:shop.**', append: true, appendWindowMs: 0 };
    service = await embed({
      ...options(),
      channels: { rules: [rule], open: [{ pattern: 'public:shop.**' }] },
    });
    service.msg.sinks.register({
      name: 'mail',
      send: async (recipient, { body }) => void sent.push([recipient, body]),
    });
    service.msg.sinks.register({
      name: 'broken',
      send: async () => {
        throw new Error('the sink does not work');
      },
    });
    rpc = rpcOf(service.url, service.msg.tokens.issueManagement('ann').token);
  });
  afterAll(stopEmbedded);

  /** The newest message of the channel: its status, its reason and its document. */
  async function ended() {
    const { body } = await rpc('AppendState', { name, with_document: true });
    const { text, items } = JSON.parse(Buffer.from(String(body['document']), 'base64').toString());
    return { status: body['status'], reason: body['reason'], content: text ?? items };
  }

  describe.each(['in the process', 'over the RPC'])('a writer %s', way => {
    const open = (streamOptions: AppendStreamOptions = {}): Promise<AppendWriter> => {
      name = `public:shop.end.${++channels}`;
      if (way === 'in the process') return service.msg.appendStream(name, streamOptions);
      const { token } = service.msg.tokens.issueManagement('backend');
      const client = createRpcClient<AbortSignal>({ server: service.url, token, fetch });
      return appendStream(client, name, streamOptions);
    };

    it('ends its message without a sink that is not there, and says so', async () => {
      const stream = await open();
      await stream.write('an answer');
      const end = stream.complete({ reason: 'stop', orSink: { sink: 'none' } });
      await expect(end).rejects.toMatchObject({ code: 'MSG_SINK_CONFIG_INVALID' });
      expect(await ended()).toEqual({ status: 'complete', reason: 'stop', content: 'an answer' });
      expect(stream.signal.aborted).toBe(false);
    });

    it('ends items without a sink that has no body for them', async () => {
      const stream = await open({ format: 'items' });
      await stream.write({ item: 7 });
      const end = stream.complete({ orSink: { sink: 'mail', recipient: 'ann' } });
      await expect(end).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
      expect(await ended()).toEqual({ status: 'complete', reason: '', content: [7] });
    });

    it('is not disturbed by a sink that fails', async () => {
      const stream = await open();
      await stream.write('an answer');
      expect(await stream.complete({ orSink: { sink: 'broken' } })).toMatchObject({
        status: 'complete',
        outcome: 'parked',
      });
      expect((await ended()).status).toBe('complete');
    });

    it.each<[string, (stream: AppendWriter) => Promise<unknown>]>([
      ['a reason that is too long', stream => stream.complete({ reason: 'x'.repeat(257) })],
      ['a meta that is too large', stream => stream.complete({ meta: { a: 'x'.repeat(4096) } })],
      [
        'an item in a text',
        async stream => {
          await stream.write({ item: 7 });
          await stream.complete();
        },
      ],
    ])('fails its message after %s', async (_what, end) => {
      const stream = await open();
      await stream.write('so far');
      await expect(end(stream)).rejects.toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
      expect(await ended()).toEqual({ status: 'failed', reason: 'refused', content: 'so far' });
      expect(stream.signal.reason).toMatchObject({ code: 'MSG_INVALID_ARGUMENT' });
    });
  });

  it('goes through its sink only without subscribers', async () => {
    name = `public:shop.end.${++channels}`;
    sent.length = 0;
    const client = stockClient(service.websocketUrl);
    await follow(client, name);
    const heard = await service.msg.appendStream(name);
    await heard.write('an answer');
    expect(await heard.complete({ orSink: { sink: 'mail' } })).toMatchObject({ outcome: 'published' });
    expect(sent).toEqual([]);
    closeClients();
  });

  it('a producer of its own sends the same end again, without the sink', async () => {
    name = `public:shop.end.${++channels}`;
    const append = (request: object) => rpc('Append', { name, message: 'm', producer: 'p', ...request });
    await append({ seq: 1, format: 'items', ops: [{ item: 'MQ==' }] });
    const end = { seq: 2, ops: [{ status: 'complete' }] };
    const to = (message: object) => ({ ...end, or_sink: { sink: 'mail', recipient: 'ann', message } });
    // A later request need not say that these are items.
    expect((await append(to({}))).code).toBe('MSG_INVALID_ARGUMENT');
    expect((await append({ ...end, or_sink: { sink: 'none' } })).code).toBe('MSG_SINK_CONFIG_INVALID');
    expect((await ended()).status).toBe('streaming');
    expect((await append(end)).body).toMatchObject({ status: 'complete', duplicates: 0, outcome: '' });
    sent.length = 0;
    expect((await append(to({ body: 'one' }))).body).toMatchObject({ duplicates: 1, outcome: 'sent' });
    expect(sent).toEqual([['ann', 'one']]);
  });
}
