import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { closeClients, follow, outcome, stockClient } from '../support/stock-client.ts';

const CHAT = 'private:app.chat.7';
const CHANNEL = `${CHAT}.r1`;
const CONTROL = `${CHAT}.control`;

let service: Embedded;
let messages = 0;

beforeEach(async () => {
  const rules = [{ pattern: 'private:app.chat.**', append: true, appendWindowMs: 0 }];
  service = await embed({ channels: { rules, open: [{ pattern: 'public:app.**' }] } });
  await service.msg.channels.createPrivate({ name: CHANNEL, subject: 'owner', scopes: [] });
});
afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

type Verb = 'subscribe' | 'publish';

/** A client with these scopes, connected as ann. */
async function client(scopes: readonly { pattern: string; verbs: Verb[]; deny?: boolean }[]) {
  const { access_token: token } = await service.msg.tokens.issueAccess({ subject: 'ann', scopes });
  const one = stockClient(service.websocketUrl, { token });
  one.connect();
  await one.ready(5000);
  return one;
}

const mayStop = [{ pattern: CONTROL, verbs: ['publish' as const] }];
const open = () => service.msg.appendStream(CHANNEL, { message: `m${++messages}`, input: 'i1' });
/** What the reply to a command is: `{}`, or the code of its error. */
const sent = (one: { publish(channel: string, data: unknown): Promise<object> }, command: unknown) =>
  one.publish(CONTROL, command).catch((error: { code: number }) => error.code);

describe('the control topic', () => {
  it('a client with publish on it stops the message; its reader sees nothing there', async () => {
    const one = await client(mayStop);
    const stream = await open();
    const stopped = new Promise(resolve => stream.signal.addEventListener('abort', resolve));
    expect(await sent(one, { cancel: { channel: CHANNEL, input: 'i1', reason: 'enough' } })).toEqual({});
    await stopped;
    expect(stream.signal.reason).toMatchObject({
      reason: 'cancelled',
      meta: { by: 'ann', reason: 'enough' },
    });
    expect(await stream.cancel('as you wish')).toMatchObject({ status: 'cancelled' });
    expect(await sent(one, { cancel: { channel: CHANNEL, message: stream.message } })).toEqual({});
    const subscription = one.newSubscription(CONTROL);
    const ended = outcome(subscription);
    subscription.subscribe();
    expect(await ended).toBe(102);
  });

  it.each([
    [[{ pattern: 'private:app.chat.8.*', verbs: ['publish'] }], 103],
    [[{ pattern: 'private:app.chat.7.r1', verbs: ['publish'] }], 103],
    [[{ pattern: 'private:app.chat.7.*', verbs: ['subscribe'] }], 103],
    [
      [
        { pattern: 'private:app.chat.7.*', verbs: ['publish'] },
        { pattern: CONTROL, verbs: ['publish'], deny: true },
      ],
      103,
    ],
  ] as const)('%j does not allow a cancel', async (scopes, code) => {
    const stream = await open();
    const one = await client(scopes.map(scope => ({ ...scope, verbs: [...scope.verbs] })));
    expect(await sent(one, { cancel: { channel: CHANNEL } })).toBe(code);
    expect(stream.signal.aborted).toBe(false);
    await stream.complete();
  });

  it.each([
    ['not an object', 7, 107],
    ['another command', { stop: {} }, 107],
    ['an unknown member', { cancel: { channel: CHANNEL, id: 'x' } }, 107],
    ['both targets', { cancel: { channel: CHANNEL, message: 'm', input: 'i' } }, 107],
    ['no channel', { cancel: {} }, 107],
    ['another chat', { cancel: { channel: 'private:app.chat.8.r1' } }, 107],
    ['another visibility', { cancel: { channel: 'public:app.chat.7.r1' } }, 107],
    ['an ill-formed id', { cancel: { channel: CHANNEL, message: 'a b' } }, 107],
    ['a channel that is not open', { cancel: { channel: `${CHAT}.r2` } }, 102],
    ['no such message', { cancel: { channel: CHANNEL, message: 'none' } }, 102],
    ['no open message', { cancel: { channel: CHANNEL } }, 102],
  ])('%s is refused', async (_what, command, code) => {
    expect(await sent(await client(mayStop), command)).toBe(code);
  });

  it('cancels an answer that has not begun', async () => {
    const one = await client(mayStop);
    expect(await sent(one, { cancel: { channel: CHANNEL, input: 'i1' } })).toEqual({});
    const stream = await open();
    expect(stream.signal.aborted).toBe(true);
  });

  it('no channel may have its name, unless the option is off', async () => {
    const create = service.msg.channels.createPrivate({ name: CONTROL, subject: 'owner', scopes: [] });
    await expect(create).rejects.toMatchObject({
      code: 'MSG_CHANNEL_INVALID',
      message: expect.stringContaining('reserved'),
    });
    await service.msg.channels.openPublic('public:app.chat.7.control');
    const rules = [{ pattern: 'public:app.chat.**', append: true, appendControl: false }];
    const other = await embed({ channels: { rules } });
    await other.msg.channels.openPublic('public:app.chat.7.control');
  });

  it('a reader cannot write into the answer', async () => {
    const one = await client([{ pattern: CHANNEL, verbs: ['subscribe'] }]);
    const { subscription } = await follow(one, CHANNEL);
    await expect(subscription.publish({ text: 'forged' })).rejects.toMatchObject({ code: 103 });
  });
});
