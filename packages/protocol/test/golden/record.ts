// Records what the stock JS clients send and how they take what we send:
//   node --conditions=msg-source packages/protocol/test/golden/record.ts
// The frames are kept in test/golden/frames and replayed by golden.test.ts.
import { writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import {
  ChannelAddress,
  type Codec,
  type Command,
  type Init,
  jsonCodec,
  Payload,
  protobufCodec,
  type Reply,
} from '@msg/protocol';
import { createPatch } from '@msg/protocol/internal';
import { Centrifuge as Json580 } from 'centrifuge';
import { Centrifuge as Protobuf580 } from 'centrifuge/build/protobuf';
import { Centrifuge as Json574 } from 'centrifuge-5.7.4';
import { Centrifuge as Protobuf574 } from 'centrifuge-5.7.4/build/protobuf';
import { WebSocket, WebSocketServer } from 'ws';

/** One conversation. Frames are text for JSON, base64 for Protobuf. */
export interface Recording {
  readonly client: string;
  readonly encoding: 'json' | 'protobuf';
  /** Frames of the client, in order. */
  readonly received: string[];
  /** Frames of the server, in order. */
  readonly sent: string[];
  /** What the client told its application. */
  readonly events: string[];
}

const utf8 = new TextEncoder();
const text = new TextDecoder();

const FIRST = '{"n":1,"note":"steady payload that repeats, ünïcode"}';
const SECOND = '{"n":2,"note":"steady payload that repeats, ünïcode"}';

const info = {
  user: '42',
  client: 'peer',
  connInfo: utf8.encode('{"name":"Zoë"}'),
  chanInfo: utf8.encode('[1]'),
};

/** Numeric channel ids; 0 leaves the channel by name. */
interface Ids {
  readonly news: number;
  readonly tags: number;
}

/**
 * The Protobuf build of the JS client asks for numeric ids too, but reads them as Long objects and compares those by
 * identity: it never finds the subscription, and such pushes are lost. So only JSON gets them.
 */
const IDS = { json: { news: 7, tags: 8 }, protobuf: { news: 0, tags: 0 } } as const;

/** Answers every command so that the client goes on. */
function answer(command: Command, ids: Ids): Init<Reply> {
  const { id } = command;
  switch (command.kind) {
    case 'connect':
      return {
        id,
        connect: {
          client: '0f3c2c0e-6f0c-4a6e-9a55-0a4c1b1f7a10',
          version: '0.1.0',
          data: utf8.encode('{"hello":"client"}'),
          expires: true,
          ttl: 1,
          ping: 25,
          pong: true,
          subs: new Map([['server:side', { recoverable: true, positioned: true, epoch: 'srv', offset: 2 }]]),
        },
      };
    case 'subscribe': {
      const { channel, delta } = command.request;
      if (channel === 'golden:denied') return { id, error: { code: 103, message: 'permission denied' } };
      return {
        id,
        subscribe:
          delta === ''
            ? { id: ids.tags, data: utf8.encode('{"sub":true}') }
            : {
                id: ids.news,
                delta: true,
                recoverable: true,
                positioned: true,
                recovered: true,
                wasRecovering: true,
                epoch: 'abc',
                offset: 3,
                expires: true,
                ttl: 1,
              },
      };
    }
    case 'unsubscribe':
      return { id, unsubscribe: {} };
    case 'publish':
      return { id, publish: {} };
    case 'presence':
      return { id, presence: { presence: new Map([['peer', info]]) } };
    case 'presence_stats':
      return { id, presenceStats: { numClients: 2, numUsers: 1 } };
    case 'history':
      return {
        id,
        history: {
          publications: [{ data: utf8.encode(FIRST), offset: 4, tags: new Map([['k', 'v']]), info }],
          epoch: 'abc',
          offset: 5,
        },
      };
    case 'rpc':
      return command.request.method === 'fail'
        ? { id, error: { code: 400, message: 'no', temporary: false } }
        : { id, rpc: { data: command.request.data } };
    case 'refresh':
      return { id, refresh: { client: 'c', version: '0.1.0', expires: true, ttl: 3600 } };
    case 'sub_refresh':
      return { id, subRefresh: { expires: true, ttl: 3600 } };
    default:
      throw new Error(`not expected here: ${command.kind}`);
  }
}

/** Pushes of every kind, in an order that the client's state allows. */
function pushes(codec: Codec): Uint8Array[] {
  const isJson = codec.encoding === 'json';
  const target = isJson ? ChannelAddress.byId(IDS.json.news) : ChannelAddress.byName('golden:news');
  const tags = isJson ? ChannelAddress.byId(IDS.json.tags) : ChannelAddress.byName('golden:tags');
  const patch = createPatch(utf8.encode(FIRST), utf8.encode(SECOND), { utf8: isJson });
  if (patch === null) throw new Error('the second payload was to give a patch');
  const full = codec.encodePublication(
    target,
    { data: new Payload(utf8.encode(FIRST)), offset: 4 },
    'delta-full',
  );
  const delta = codec.encodePublication(
    target,
    { data: new Payload(utf8.encode(SECOND)), offset: 5, info, tags: new Map([['a', 'b']]) },
    'delta-patch',
    patch,
  );
  const plain = codec.encodePublication(tags, { data: new Payload(utf8.encode('"text"')) }, 'plain');
  if (full === null || delta === null || plain === null) throw new Error('all payloads are JSON');
  return [
    codec.ping,
    full,
    delta,
    plain,
    codec.encodeJoin(target, info),
    codec.encodeLeave(target, info),
    codec.encodePush({ message: { data: utf8.encode('{"m":1}') } }),
    codec.encodePush({
      channel: 'added',
      subscribe: { recoverable: true, positioned: true, epoch: 'e', offset: 9 },
    }),
    codec.encodePush({ channel: 'added', unsubscribe: { code: 2000, reason: 'server unsubscribe' } }),
  ];
}

async function record(name: string, Client: typeof Json580, codec: Codec): Promise<Recording> {
  const isJson = codec.encoding === 'json';
  const recording: Recording = { client: name, encoding: codec.encoding, received: [], sent: [], events: [] };
  const store = (frame: Uint8Array) => (isJson ? text.decode(frame) : Buffer.from(frame).toString('base64'));

  const server = new WebSocketServer({ port: 0, handleProtocols: offered => [...offered][0] ?? false });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  server.on('connection', socket => {
    const send = (frame: Uint8Array) => {
      recording.sent.push(store(frame));
      socket.send(frame, { binary: !isJson });
    };
    let subscriptions = 0;
    socket.on('message', (data: Buffer) => {
      recording.received.push(store(data));
      const replies: Uint8Array[] = [];
      const reader = codec.commands(data);
      for (let command = reader.next(); command !== null; command = reader.next()) {
        if (command.kind === 'none' || command.kind === 'send') continue;
        replies.push(codec.encodeReply(answer(command, IDS[codec.encoding])));
        if (command.kind === 'subscribe') subscriptions++;
      }
      if (replies.length > 0) send(codec.join(replies));
      if (subscriptions === 3) {
        subscriptions = 0;
        setTimeout(() => pushes(codec).forEach(send), 100);
      }
    });
  });

  const value = (json: string) => (isJson ? JSON.parse(json) : utf8.encode(json));
  const show = (data: unknown) => (data instanceof Uint8Array ? text.decode(data) : JSON.stringify(data));
  const event = (what: string, data: unknown) => recording.events.push(`${what} ${show(data)}`);

  const client = new Client(`ws://127.0.0.1:${address.port}`, {
    websocket: WebSocket,
    token: 'first-token',
    getToken: async () => 'second-token',
    data: value('{"hello":"wörld","big":12345678901234567890}'),
    name: 'golden',
    version: '1.2.3',
    headers: { 'x-one': '1' },
  });
  client.on('connected', ({ data }) => event('connected', data));
  client.on('message', ({ data }) => event('message', data));
  client.on('subscribed', ({ channel }) => event('server-side subscribed', channel));
  client.on('unsubscribed', ({ channel }) => event('server-side unsubscribed', channel));

  const news = client.newSubscription('golden:news', {
    token: 'sub-token',
    getToken: async () => 'sub-token-2',
    data: value('{"a":1}'),
    delta: 'fossil',
    positioned: true,
    recoverable: true,
    joinLeave: true,
    since: { offset: 3, epoch: 'abc' },
  });
  news.on('subscribed', ({ recovered }) => event('subscribed', recovered));
  news.on('publication', ({ data, offset, tags, info: by }) => {
    event('publication', data);
    event('publication details', { offset, tags: tags ?? null, user: by?.user ?? null });
  });
  news.on('join', ({ info: who }) => event('join', { user: who.user, client: who.client }));
  news.on('leave', ({ info: who }) => event('leave', { user: who.user, client: who.client }));

  const tagged = client.newSubscription('golden:tags', {
    tagsFilter: {
      op: 'and',
      nodes: [
        { key: 'symbol', cmp: 'in', vals: ['A', 'B'] },
        { key: 'px', cmp: 'gt', val: '10.5' },
      ],
    },
  } as Parameters<typeof client.newSubscription>[1]);
  tagged.on('publication', ({ data }) => event('tagged publication', data));
  const denied = client.newSubscription('golden:denied');
  denied.on('unsubscribed', ({ code, reason }) => event('denied', { code, reason }));

  for (const subscription of [news, tagged, denied]) subscription.subscribe();
  client.connect();
  await client.ready(5_000);
  await tagged.ready(5_000);
  await pause(600);
  await client.publish('golden:news', value('{"text":"a \\"quoted\\" \\u00e9 text","n":[1,2.5,-3e10]}'));
  const history = await client.history('golden:news', {
    limit: 10,
    since: { offset: 7, epoch: 'abc' },
    reverse: true,
  });
  event('history', { count: history.publications.length, offset: history.offset, epoch: history.epoch });
  event('history data', history.publications[0]?.data);
  const presence = await client.presence('golden:news');
  event('presence', Object.keys(presence.clients));
  event('presence stats', await client.presenceStats('golden:news'));
  event('rpc', (await client.rpc('sum', value('[1,2]'))).data);
  await client
    .rpc('fail', value('null'))
    .catch(error => event('rpc error', { code: error.code, message: error.message }));
  await client.send(value('{"fire":"forget"}'));
  await pause(1_500);
  tagged.unsubscribe();
  await pause(200);
  client.disconnect();
  await pause(100);
  server.close();
  return recording;
}

const CLIENTS = [
  ['centrifuge-5.7.4', Json574 as unknown as typeof Json580, jsonCodec],
  ['centrifuge-5.7.4', Protobuf574 as unknown as typeof Json580, protobufCodec],
  ['centrifuge-5.8.0', Json580, jsonCodec],
  ['centrifuge-5.8.0', Protobuf580 as unknown as typeof Json580, protobufCodec],
] as const;

for (const [name, Client, codec] of CLIENTS) {
  const recording = await record(name, Client, codec);
  const file = new URL(`./frames/${name}-${codec.encoding}.json`, import.meta.url);
  writeFileSync(file, `${JSON.stringify(recording, null, 2)}\n`);
  console.log(
    name,
    codec.encoding,
    `${recording.received.length} frames of the client, ${recording.events.length} events`,
  );
}
