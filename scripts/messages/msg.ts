import type { MsgCode } from '@msg/core';
import { type Random, systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import {
  EmailSink,
  MemoryDeadLetterQueue,
  Msg,
  type RevocationStore,
  type StartOptions,
  WebhookSink,
} from '@msg/server';
import { APPENDING, appendProvocations } from './msg-append.ts';
import { gone, rejecting, SUBSCRIPTION } from './msg-sinks.ts';
import { type MessageExample, messagesOf, type Provocations } from './provocation.ts';

const NAME = 'public:shop.orders';
const PRIVATE = 'private:shop.carts.42';
const MESSAGE = { subject: 'Paid', body: 'Order 42 is paid', metadata: {} };
const HOUR_MS = 3_600_000;

/** Gives the same ids in every run, because messages contain some of them. */
function repeatableRandom(): Random {
  let count = 0;
  return { ...systemRandom, bytes: length => new Uint8Array(length).fill(++count), fraction: () => 0.5 };
}

/** A revocation store whose connection is lost. */
const unreachable: RevocationStore = {
  shared: false,
  revokeToken: () => Promise.reject(new Error('connection lost')),
  revokeUser: () => Promise.reject(new Error('connection lost')),
  lookup: () => Promise.reject(new Error('connection lost')),
};

/** A dead-letter queue whose disk is full. */
class FullQueue extends MemoryDeadLetterQueue {
  override push(): Promise<string> {
    return Promise.reject(new Error('no space left'));
  }
}

/** Services in the situations that the calls need. */
class Services {
  readonly clock = new ManualClock();
  readonly #running: Msg[] = [];

  async start(options: StartOptions = {}): Promise<Msg> {
    const msg = await Msg.start({ clock: this.clock, random: repeatableRandom(), ...options });
    this.#running.push(msg);
    return msg;
  }

  async stop(): Promise<void> {
    const ends = Promise.all(this.#running.map(msg => msg.stop()));
    let ended = false;
    void ends.then(() => {
      ended = true;
    });
    while (!ended) await this.clock.advance(1000);
    await ends;
  }
}

/** Calls a method over HTTP; throws the error of the answer as a client reads it. */
async function callRpc(msg: Msg, method: string, body: object, bearer?: string): Promise<unknown> {
  const [address] = msg.addresses;
  const response = await fetch(`${address?.url}/twirp/msg.MsgService/${method}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    },
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as { msg?: string; meta?: { code?: string } }; // the RPC's error body
  if (!response.ok) throw Object.assign(new Error(answer.msg), { code: answer.meta?.code });
  return answer;
}

/** The calls that end in each code, on real services. */
async function provocations(services: Services): Promise<Provocations<MsgCode>> {
  const msg = await services.start({
    listen: { port: 0 },
    sinks: [rejecting, gone],
    channels: APPENDING,
    rateLimits: { publish: { rate: 1, perMs: 60_000, burst: 0 } },
  });
  const unrevoked = await services.start({ revocationStore: unreachable });
  const full = await services.start({ sinks: [rejecting], dlq: new FullQueue(systemRandom) });
  const stopped = await Msg.create();
  const { channels, tokens, keys, schemas } = msg;
  await channels.openPublic('public:shop.idle', 1000);
  await services.clock.advance(60_000);
  await channels.openPublic(NAME);
  const { access_token: access } = await channels.createPrivate({
    name: PRIVATE,
    subject: 'u-1',
    scopes: [{ pattern: PRIVATE, verbs: ['subscribe'] }],
  });
  const management = tokens.issueManagement('operator').token;
  const expired = tokens.issueBootstrap('operator', 1000).token;
  await services.clock.advance(5000);
  await msg.publishOrSink('public:shop.nobody', 'x', 'rejecting', 'a', MESSAGE);
  const [letter] = await msg.deadLetters.list();
  return {
    ...(await appendProvocations(msg, (method, body) => callRpc(msg, method, body, management))),
    MSG_CHANNEL_INVALID: [
      { when: 'a name without visibility', call: () => channels.openPublic('orders') },
      { when: 'a segment with a capital letter', call: () => channels.openPublic('public:shop.Orders') },
      { when: 'a private name for OpenPublic', call: () => channels.openPublic(PRIVATE) },
    ],
    MSG_INVALID_ARGUMENT: [
      { when: 'a negative TTL', call: () => channels.openPublic(NAME, -1) },
      { when: 'a key id that the keyring does not have', call: () => keys.promote('k-000000000000') },
      { when: 'a payload that JSON cannot hold', call: () => msg.publish(NAME, { price: Number.NaN }) },
      { when: 'a revocation without a store', call: () => tokens.revoke('jti') },
      {
        when: 'an unknown member of a strict method',
        call: () => callRpc(msg, 'CreatePrivate', { nam: PRIVATE }, management),
      },
      {
        when: 'a pattern that is not one',
        call: () => Msg.create({ channels: { open: [{ pattern: 'orders' }] } }),
      },
    ],
    MSG_CHANNEL_TTL_EXCEEDS_MAX: [
      {
        when: 'a private channel for two hours',
        call: () => channels.createPrivate({ name: PRIVATE, ttlMs: 2 * HOUR_MS, scopes: [] }),
      },
    ],
    MSG_CHANNEL_NOT_FOUND: [
      { when: 'a name that was never opened', call: () => msg.publish('public:shop.unknown', 'x') },
      { when: 'a pattern without a schema', call: () => schemas.get('public:none.*') },
    ],
    MSG_SINK_DLQ_NOT_FOUND: [
      { when: 'an id that is not in the queue', call: () => msg.deadLetters.discard('unknown') },
    ],
    MSG_CHANNEL_EXISTS: [
      {
        when: 'a private channel that is open',
        call: () => channels.createPrivate({ name: PRIVATE, scopes: [] }),
      },
    ],
    MSG_CHANNEL_CLOSED: [
      { when: 'a public channel after its TTL', call: () => msg.publish('public:shop.idle', 'x') },
    ],
    MSG_SINK_RECIPIENT_DECODE: [
      {
        when: 'a sink that cannot read the stored recipient',
        call: () => msg.deadLetters.replay(letter?.id ?? ''),
      },
    ],
    MSG_SINK_RECIPIENT_GONE: [
      {
        when: 'a push subscription that has ended',
        call: () => msg.publishOrSink('public:shop.nobody', 'x', 'push', SUBSCRIPTION, MESSAGE),
      },
    ],
    MSG_AUTH_DENIED: [
      { when: 'a call without a bearer', call: () => callRpc(msg, 'ListChannels', {}) },
      { when: 'a bearer that is not a token', call: () => callRpc(msg, 'ListChannels', {}, 'secret') },
      {
        when: 'an access token for a method that needs a management bearer',
        call: () => callRpc(msg, 'ListChannels', {}, access),
      },
    ],
    MSG_AUTH_EXPIRED: [
      {
        when: 'a management token after its lifetime',
        call: () => callRpc(msg, 'ListChannels', {}, expired),
      },
    ],
    MSG_RATE_LIMITED: [
      {
        when: 'the second publish in a window of one',
        call: async () => {
          for (let i = 0; i < 2; i++) await callRpc(msg, 'Publish', { name: NAME, data: 'x' }, management);
        },
      },
    ],
    MSG_BROKER_NOT_READY: [
      {
        when: 'a publish before the service runs',
        call: async () => {
          await stopped.channels.openPublic(NAME);
          await stopped.publish(NAME, 'x');
        },
      },
    ],
    MSG_SINK_UNAVAILABLE: [
      {
        when: 'a webhook whose destination answers 503',
        call: () =>
          new WebhookSink({
            url: 'https://hooks.example.com/x',
            fetch: async () => new Response('', { status: 503 }),
          }).send(null, MESSAGE, {}),
      },
    ],
    MSG_SINK_DLQ_OVERFLOW: [
      {
        when: 'a failed delivery that the queue does not take',
        call: () => full.publishOrSink('public:shop.nobody', 'x', 'rejecting', 'a', MESSAGE),
      },
    ],
    MSG_BROKER_INTERNAL: [
      { when: 'a second run of a service', call: () => msg.run(new AbortController().signal) },
      {
        when: 'a backend that does not open',
        call: () => Msg.create({ stores: { open: () => Promise.reject(new Error('connection refused')) } }),
      },
    ],
    MSG_SINK_CONFIG_INVALID: [
      {
        when: 'a sink that is not registered',
        call: () => msg.publishOrSink('public:shop.nobody', 'x', 'email', {}, MESSAGE),
      },
      {
        when: 'a mail server without a port',
        call: () => new EmailSink({ addr: 'mail.example.com', from: 'shop@example.com' }),
      },
    ],
    MSG_INTERNAL: [
      { when: 'a revocation store that does not answer', call: () => unrevoked.tokens.revoke('jti') },
    ],
  };
}

/** Messages of every code of the service, each produced by the real code. */
export async function msgMessages(): Promise<ReadonlyMap<MsgCode, readonly MessageExample[]>> {
  const services = new Services();
  try {
    return await messagesOf(await provocations(services));
  } finally {
    await services.stop();
  }
}
