import { createRpcClient, type RpcClient } from '@msg/core';
import { measureInTurns, numericOptions } from './comparison.ts';
import { type Feed, openFeed } from './console-feed.ts';
import { measureListings } from './console-listings.ts';
import type { LoadQuestion, Received } from './load/questions.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import { printQuantity } from './report.ts';
import { publishRequest, RPC_LOAD, requestFor, rpcRequest } from './rpc.ts';
import type { RpcServer } from './rpc-server.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const DEFAULTS = {
  pairs: 5,
  slice: 2000,
  subscribers: 200,
  connections: 5000,
  channels: 100_000,
  rows: 50_000,
};
const SUBSCRIBERS = new URL('./load/client.ts', import.meta.url);
/** Connections that publish. */
const PUBLISHERS = 4;
const OVERVIEWS = 5;
/** Collects garbage when it is told to, so that memory is what is held. */
const COLLECTS = new URL('./servers/collect-on-signal.ts', import.meta.url);

type Options = typeof DEFAULTS;

interface Sample {
  readonly answered: number;
  readonly cpuUs: number;
}

/** A server with the load of its own. */
interface Loaded {
  readonly server: RpcServer;
  readonly rpc: RpcClient;
  /** Publishes for a round, and fails unless every subscriber received the same. */
  publish(): Promise<Sample>;
  /** Asks for a decision about an access token, which verifies it, for a round. */
  verify(): Promise<Sample>;
  stop(): Promise<void>;
}

/** What the console costs while it is on and unused, with open overviews, and with a tail. */
export async function run(args: string[]): Promise<void> {
  const options = numericOptions(args, DEFAULTS);
  await compareUnused(options);
  await compareLooking(options);
  await compareMemory(options);
  await measureListings(options);
}

async function compareUnused(options: Options): Promise<void> {
  const [on, off] = [await loaded('on', options), await loaded('off', options)];
  try {
    console.log(`console on, and no one signed in, against off: ${options.subscribers} subscribers`);
    printQuantity(await measureInTurns(options.pairs, on.publish, off.publish), 'off', {
      name: 'server CPU per delivery, µs',
      of: ({ cpuUs, answered }) => cpuUs / answered / options.subscribers,
      digits: 3,
      wanted: '≤ 1.01',
    });
    printQuantity(await measureInTurns(options.pairs, on.verify, off.verify), 'off', {
      name: 'server CPU per verified token, µs',
      of: ({ cpuUs, answered }) => cpuUs / answered,
      digits: 1,
      wanted: '≤ 1.01',
    });
  } finally {
    await Promise.all([on.stop(), off.stop()]);
  }
  const [publishing, baseline] = [await loaded('on', options, 0), await loaded('off', options, 0)];
  try {
    printQuantity(await measureInTurns(options.pairs, publishing.publish, baseline.publish), 'off', {
      name: 'server CPU per Publish without subscribers, µs',
      of: ({ cpuUs, answered }) => cpuUs / answered,
      digits: 1,
      wanted: '≤ 1.01',
    });
  } finally {
    await Promise.all([publishing.stop(), baseline.stop()]);
  }
}

/** One server with feeds that come and go: with them against without. */
async function compareLooking(options: Options): Promise<void> {
  const side = await loaded('on', options);
  const withFeeds = (open: () => Promise<readonly Feed[]>) => async (): Promise<Sample> => {
    const feeds = await open();
    try {
      return await side.publish();
    } finally {
      await Promise.all(feeds.map(feed => feed.close()));
    }
  };
  const overviews = (): Promise<readonly Feed[]> =>
    Promise.all(Array.from({ length: OVERVIEWS }, () => openFeed(side, ['stats', 'hints'])));
  const tail = async (): Promise<readonly Feed[]> => {
    const feed = await openFeed(side, []);
    await side.rpc.call('StartTail', { feed: feed.id, name: CHANNEL });
    return [feed];
  };
  const per = {
    of: ({ cpuUs, answered }: Sample) => cpuUs / answered / options.subscribers,
    digits: 3,
  };
  try {
    console.log('looking, against not looking, at the same server');
    printQuantity(await measureInTurns(options.pairs, withFeeds(overviews), side.publish), 'none', {
      name: `server CPU per delivery with ${OVERVIEWS} overviews, µs`,
      ...per,
      wanted: '≤ 1.02',
    });
    printQuantity(await measureInTurns(options.pairs, withFeeds(tail), side.publish), 'none', {
      name: 'server CPU per delivery with a tail on the channel, µs',
      ...per,
      wanted: '≤ 1.05',
    });
  } finally {
    await side.stop();
  }
}

async function compareMemory({ pairs, connections }: Options): Promise<void> {
  console.log(`memory per idle connection, ${connections} of them, console on against off`);
  const measured = await measureInTurns(
    pairs,
    () => bytesPerConnection('on', connections),
    () => bytesPerConnection('off', connections),
  );
  printQuantity(measured, 'off', {
    name: 'RSS per connection, kB',
    of: bytes => bytes / 1000,
    digits: 2,
    wanted: '≤ 1.01',
  });
}

async function bytesPerConnection(console: 'on' | 'off', connections: number): Promise<number> {
  const flags = ['--expose-gc', '--import', COLLECTS.href];
  const { server } = await startMsgRpc(flags, { args: ['--console', console] });
  const load = await PinnedProcess.start(SUBSCRIBERS, LOAD_CORE);
  try {
    // The first ones load code and grow pools.
    await load.ask(opening(server, connections / 10));
    const before = await server.settledBytes();
    await load.ask(opening(server, connections));
    return ((await server.settledBytes()) - before) / connections;
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}

/** Opens subscribers of the channel. */
function opening(server: RpcServer, count: number): LoadQuestion {
  const subscribing = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
  return { kind: 'open', port: server.port, count, concurrency: 16, subscribing, stamped: false };
}

async function loaded(
  console: 'on' | 'off',
  { slice, subscribers }: Options,
  count = subscribers,
): Promise<Loaded> {
  const { server, token } = await startMsgRpc([], { args: ['--console', console] });
  const rpc = createRpcClient({ server: `http://127.0.0.1:${server.port}`, token, fetch });
  const requests = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
  const receivers = await PinnedProcess.start(SUBSCRIBERS, LOAD_CORE);
  const { access_token: access } = await rpc.call('IssueAccess', {
    subject: 'bench',
    scopes: [{ pattern: 'public:bench.**', verbs: ['subscribe'], deny: false }],
  });
  const explain = { name: CHANNEL, verb: 'subscribe', token: access, client: '' };
  const send = (request: Buffer): Promise<Sample> =>
    requestFor(slice, server, requests, {
      kind: 'connect',
      port: server.port,
      connections: PUBLISHERS,
      request: request.toString('base64'),
    });
  return {
    server,
    rpc,
    async publish() {
      // New ones each round: it ends before the server's first ping.
      await receivers.ask(opening(server, count));
      const sample = await send(publishRequest(token));
      if (count > 0) await requireEqual(receivers);
      await receivers.ask({ kind: 'reset' } satisfies LoadQuestion);
      return sample;
    },
    verify: () => send(rpcRequest('ExplainAccess', token, explain)),
    async stop() {
      await Promise.all([requests.stop(), receivers.stop(), server.stop()]);
    },
  };
}

/** @throws Error when a subscriber received another number of bytes than the rest, or none did */
async function requireEqual(receivers: PinnedProcess): Promise<void> {
  const { total, least, most } = await receivers.ask<Received>({ kind: 'settled' } satisfies LoadQuestion);
  if (total === 0 || least !== most) throw new Error(`a subscriber received ${least} bytes, another ${most}`);
}
