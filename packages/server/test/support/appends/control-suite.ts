// Commands of clients to the topic `control`, row by row of append streams 7, on whatever store.
import type { MsgOptions } from '@msg/server';
import type { Centrifuge } from 'centrifuge';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../embedded.ts';
import { rpcOf } from '../rpc.ts';
import { closeClients, codeOf, outcome, stockClient } from '../stock-client.ts';

type Scope = { pattern: string; verbs: ('publish' | 'subscribe')[]; deny?: boolean };

const PLAIN = 'private:news.chat.7.r1';

/** Runs every row of commands on a service with these options. */
export function takesCommands(options: () => MsgOptions): void {
  let service: Embedded;
  let rpc: ReturnType<typeof rpcOf>;
  let chats = 0;
  let chat = '';
  const answer = (topic = 'r1'): string => `${chat}.${topic}`;
  const control = (): string => `${chat}.control`;
  const create = (name: string) =>
    service.msg.channels.createPrivate({ name, subject: 'owner', scopes: [], ifExists: 'reuse' });

  beforeAll(async () => {
    const rules = ['private:app.**', 'public:app.**'].map(pattern => ({
      pattern,
      append: true,
      appendWindowMs: 0,
    }));
    service = await embed({ ...options(), channels: { rules, open: [{ pattern: 'public:app.**' }] } });
    rpc = rpcOf(service.url, service.msg.tokens.issueManagement('backend').token);
    await create(PLAIN);
  });
  afterEach(closeClients);
  afterAll(stopEmbedded);

  /** A chat with an open message, and nothing that another test left. */
  async function open(visibility = 'private'): Promise<void> {
    chat = `${visibility}:app.chat.${++chats}`;
    if (visibility === 'private') await create(answer());
    const { status } = await rpc('Append', {
      name: answer(),
      message: 'm',
      producer: 'p',
      seq: 1,
      text: 'so far',
      input: 'i',
    });
    expect(status).toBe(200);
  }

  async function clientOf(scopes?: readonly Scope[]): Promise<Centrifuge> {
    const issued =
      scopes === undefined
        ? null
        : await service.msg.tokens.issueAccess({ subject: 'ann', scopes: [...scopes] });
    const client = stockClient(service.websocketUrl, issued === null ? {} : { token: issued.access_token });
    client.connect();
    await client.ready(20_000);
    return client;
  }
  const mayStop = (): Promise<Centrifuge> => clientOf([{ pattern: control(), verbs: ['publish'] }]);

  const state = async () => (await rpc('AppendState', { name: answer(), with_document: true })).body;

  /** The command is answered by this code, and changes nothing; 'ok': it stops the message. */
  async function answers(client: Centrifuge, command: unknown, code: number): Promise<void> {
    const was = await state();
    expect(await codeOf(client.publish(control(), command))).toBe(code);
    expect(await state()).toEqual(was);
    expect(was).toMatchObject({ status: 'streaming', cancel: null });
  }

  const inside = (cancel: object) => () => ({ cancel: { channel: answer(), ...cancel } });

  it.each<[string, () => unknown]>([
    ['a number', () => 7],
    ['nothing', () => null],
    ['a list', () => [{ cancel: { channel: answer() } }]],
    ['text', () => JSON.stringify({ cancel: { channel: answer() } })],
    ['no command', () => ({})],
    ['another command', () => ({ stop: { channel: answer() } })],
    ['an unknown member beside the command', () => ({ cancel: { channel: answer() }, at: 1 })],
    ['an unknown member of the command', inside({ id: 'm' })],
    ['a command that is not an object', () => ({ cancel: answer() })],
    ['message and input', inside({ message: 'm', input: 'i' })],
    ['no channel', () => ({ cancel: {} })],
    ['a channel that is not text', () => ({ cancel: { channel: 7 } })],
    ['a text that is not the name of a channel', () => ({ cancel: { channel: 'private' } })],
    ['a message that is not text', inside({ message: 7 })],
    ['a message that is no id', inside({ message: 'a b' })],
    ['an empty message', inside({ message: '' })],
    ['an input that is no id', inside({ input: 'a b' })],
    ['a long input', inside({ input: 'x'.repeat(65) })],
    ['a reason that is not text', inside({ reason: 7 })],
    ['a long reason', inside({ reason: 'x'.repeat(257) })],
    ['another visibility', () => ({ cancel: { channel: answer().replace('private', 'public') } })],
    ['another application', () => ({ cancel: { channel: answer().replace(':app.', ':shop.') } })],
    ['another domain', () => ({ cancel: { channel: answer().replace('.chat.', '.talk.') } })],
    ['another id', () => ({ cancel: { channel: 'private:app.chat.0.r1' } })],
    ['a channel without an id', () => ({ cancel: { channel: 'private:app.chat' } })],
    ['a channel without append streams', () => ({ cancel: { channel: PLAIN } })],
  ])('%s is 107', async (_what, command) => {
    await open();
    await answers(await mayStop(), command(), 107);
  });

  it('a target that is not open, or has no such message, is 102', async () => {
    await open();
    const client = await mayStop();
    await answers(client, { cancel: { channel: answer('r2') } }, 102);
    await answers(client, { cancel: { channel: control() } }, 102);
    await answers(client, { cancel: { channel: answer(), message: 'n' } }, 102);
    await create(answer('r3'));
    await answers(client, { cancel: { channel: answer('r3') } }, 102);
    await answers(client, { cancel: { channel: answer('r3'), message: 'm' } }, 102);
    await rpc('DeleteChannel', { name: answer('r3') });
    await answers(client, { cancel: { channel: answer('r3'), input: 'i' } }, 102);
  });

  it.each<[string, () => readonly Scope[] | undefined]>([
    ['no token', () => undefined],
    ['subscribe on the control name', () => [{ pattern: control(), verbs: ['subscribe'] }]],
    ['publish on the answer', () => [{ pattern: answer(), verbs: ['publish', 'subscribe'] }]],
    [
      'publish on the control name of another chat',
      () => [{ pattern: 'private:app.chat.0.*', verbs: ['publish'] }],
    ],
    [
      'a deny on the control name',
      () => [
        { pattern: `${chat}.*`, verbs: ['publish'] },
        { pattern: control(), verbs: ['publish'], deny: true },
      ],
    ],
  ])('%s is 103, in private and public chats', async (_what, scopes) => {
    for (const visibility of ['private', 'public']) {
      await open(visibility);
      await answers(await clientOf(scopes()), { cancel: { channel: answer() } }, 103);
    }
  });

  it('a grant for the channel, as its creation gives one, does not allow a cancel', async () => {
    chat = `private:app.chat.${++chats}`;
    const { access_token: token } = await service.msg.channels.createPrivate({
      name: answer(),
      subject: 'ann',
    });
    await rpc('Append', { name: answer(), message: 'm', producer: 'p', seq: 1, text: 'so far' });
    const client = stockClient(service.websocketUrl, { token });
    client.connect();
    await client.ready(20_000);
    await answers(client, { cancel: { channel: answer() } }, 103);
  });

  it('64 cancels of inputs wait for their messages; one more is 111', async () => {
    await open();
    const client = await mayStop();
    const codes = await Promise.all(
      Array.from({ length: 64 }, (_, n) =>
        codeOf(client.publish(control(), { cancel: { channel: answer(), input: `early-${n}` } })),
      ),
    );
    expect(new Set(codes)).toEqual(new Set(['ok']));
    await answers(client, { cancel: { channel: answer(), input: 'one-more' } }, 111);
  });

  describe('a command that is taken', () => {
    it.each([
      ['the message', { message: 'm' }],
      ['the input', { input: 'i' }],
      ['neither', {}],
    ])('names %s, is stored when it is answered, and the first one counts', async (_what, target) => {
      await open();
      const client = await mayStop();
      expect(
        await client.publish(control(), { cancel: { channel: answer(), ...target, reason: 'enough' } }),
      ).toEqual({});
      const stopped = await state();
      expect(stopped).toMatchObject({ status: 'streaming', cancel: { by: 'ann', reason: 'enough' } });
      await client.publish(control(), { cancel: { channel: answer(), reason: 'again' } });
      expect(await state()).toEqual(stopped);
    });

    it('publishes nothing, and leaves no channel of its name', async () => {
      await open();
      const client = await mayStop();
      const before = (await rpc('Position', { name: answer() })).body;
      await client.publish(control(), { cancel: { channel: answer() } });
      expect((await rpc('Position', { name: answer() })).body).toEqual(before);
      for (const method of ['GetChannel', 'Position', 'Presence'])
        expect((await rpc(method, { name: control() })).code, method).toBe('MSG_CHANNEL_NOT_FOUND');
    });
  });

  it('its name cannot be subscribed to, opened, created, published to or appended to', async () => {
    await open('public');
    const client = await clientOf([{ pattern: control(), verbs: ['publish', 'subscribe'] }]);
    const subscription = client.newSubscription(control());
    const ended = outcome(subscription);
    subscription.subscribe();
    expect(await ended).toBe(102);
    expect(await codeOf(client.history(control(), { limit: 1 }))).not.toBe('ok');
    expect(await codeOf(client.presence(control()))).not.toBe('ok');
    const reserved = async (method: string, request: object) => {
      const { status, code, body } = await rpc(method, { name: control(), ...request });
      expect([method, status, code]).toEqual([method, 400, 'MSG_CHANNEL_INVALID']);
      expect(body['msg']).toContain('reserved');
    };
    await reserved('OpenPublic', {});
    await reserved('CreatePrivate', { name: control().replace('public', 'private'), subject: 'ann' });
    await reserved('Publish', { data: 'MQ==' });
    await reserved('Append', { message: 'm', producer: 'p', seq: 1, text: 'x' });
  });

  it('neither a reader nor one who may stop writes into the answer', async () => {
    await open();
    for (const scopes of [
      [{ pattern: answer(), verbs: ['subscribe' as const] }],
      [{ pattern: control(), verbs: ['publish' as const] }],
    ]) {
      const client = await clientOf(scopes);
      const was = await state();
      expect(await codeOf(client.publish(answer(), { id: 'm', status: 'complete', text: 'forged' }))).toBe(
        103,
      );
      expect(await state()).toEqual(was);
    }
  });
}
