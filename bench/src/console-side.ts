import { createRpcClient, type RpcClient } from '@msg/core';
import type { LoadQuestion, Received } from './load/questions.ts';
import { LOAD_CORE, PinnedProcess } from './pinned.ts';
import type { RepeatingRun } from './repeating.ts';
import { publishRequest, RPC_LOAD, requestFor } from './rpc.ts';
import { rpcRequest } from './rpc-request.ts';
import type { RpcServer } from './rpc-server.ts';
import { CHANNEL, startMsgRpc } from './servers/msg-rpc.ts';

const SUBSCRIBERS = new URL('./load/client.ts', import.meta.url);
/** Connections that publish: as many as keep a rate, whatever each answer takes. */
const PUBLISHERS = 16;
/** Says how much ran. */
const COUNTS = new URL('./servers/count-on-signal.ts', import.meta.url);
/** Collects garbage, so that memory is what is held, and says how much that is. */
const COLLECTS = new URL('./servers/collect-on-signal.ts', import.meta.url);

export interface Sample extends RepeatingRun {
  readonly cpuUs: number;
  /** Characters of source that ran, each as often as it ran; 0 of a server that does not count. */
  readonly characters: number;
}

/** How a server of the console's bench runs. */
export interface SideOptions {
  readonly console: 'on' | 'off';
  /** Address of a Redis; empty: in memory. */
  readonly store: string;
  /** Counts what runs, and is slow. */
  readonly counts?: boolean;
}

/** A server with the load of its own. */
export interface Loaded {
  readonly server: RpcServer;
  readonly rpc: RpcClient;
  /** Publishes at a rate for a round, and fails unless every one of so many subscribers received the same. */
  publish(subscribers: number, perSecond: number): Promise<Sample>;
  /** Asks at a rate for a decision about an access token, which verifies it, for a round. */
  verify(perSecond: number): Promise<Sample>;
  stop(): Promise<void>;
}

let services = 0;

/** Arguments of a server. Each one on a store is a service of its own: what one publishes the other does not receive. */
function argsOf({ console, store }: SideOptions): string[] {
  const args = ['--console', console];
  return store === '' ? args : [...args, '--redis-addr', store, '--redis-key-prefix', `bench${services++}`];
}

/** Starts a server; a round takes `slice` milliseconds. */
export async function loaded(side: SideOptions, slice: number): Promise<Loaded> {
  const flags = side.counts === true ? ['--import', COUNTS.href] : [];
  const ran = async (): Promise<number> => (side.counts === true ? server.answerToSignal() : 0);
  const { server, token } = await startMsgRpc(flags, { args: argsOf(side) });
  const rpc = createRpcClient({ server: `http://127.0.0.1:${server.port}`, token, fetch });
  const requests = await PinnedProcess.start(RPC_LOAD, LOAD_CORE);
  const receivers = await PinnedProcess.start(SUBSCRIBERS, LOAD_CORE);
  const { access_token: access } = await rpc.call('IssueAccess', {
    subject: 'bench',
    scopes: [{ pattern: 'public:bench.**', verbs: ['subscribe'], deny: false }],
  });
  const explain = { name: CHANNEL, verb: 'subscribe', token: access, client: '' };
  const send = async (request: Buffer, perSecond: number): Promise<Sample> => {
    const target = { port: server.port, connections: PUBLISHERS, request: request.toString('base64') };
    await ran();
    const sample = await requestFor(slice, server, requests, { kind: 'connect', ...target }, { perSecond });
    return { ...sample, characters: await ran() };
  };
  return {
    server,
    rpc,
    async publish(subscribers, perSecond) {
      // New ones each round: it ends before the server's first ping.
      await receivers.ask(opening(server, subscribers));
      const sample = await send(publishRequest(token), perSecond);
      if (subscribers > 0) await requireEqual(receivers);
      await receivers.ask({ kind: 'reset' } satisfies LoadQuestion);
      return sample;
    },
    verify: perSecond => send(rpcRequest('ExplainAccess', token, explain), perSecond),
    async stop() {
      await Promise.all([requests.stop(), receivers.stop(), server.stop()]);
    },
  };
}

/** Memory of a server, bytes. */
export interface Held {
  readonly resident: number;
  /** Of objects and their buffers. */
  readonly heap: number;
}

/** What each of so many idle subscribers holds, of a server of its own. */
export async function bytesPerConnection(side: SideOptions, connections: number): Promise<Held> {
  const flags = ['--expose-gc', '--import', COLLECTS.href];
  const { server } = await startMsgRpc(flags, { args: argsOf(side) });
  const load = await PinnedProcess.start(SUBSCRIBERS, LOAD_CORE);
  try {
    // The first ones load code and grow pools.
    await load.ask(opening(server, connections / 10));
    const before = await held(server);
    await load.ask(opening(server, connections));
    const { resident, heap } = await held(server);
    return { resident: (resident - before.resident) / connections, heap: (heap - before.heap) / connections };
  } finally {
    await Promise.all([load.stop(), server.stop()]);
  }
}

async function held(server: RpcServer): Promise<Held> {
  return { resident: await server.settledBytes(), heap: await server.answerToSignal() };
}

/** Opens subscribers of the channel. */
function opening(server: RpcServer, count: number): LoadQuestion {
  const subscribing = { encoding: 'json', channels: 1, channel: CHANNEL, delta: false } as const;
  return { kind: 'open', port: server.port, count, concurrency: 16, subscribing, stamped: false };
}

/** @throws Error when a subscriber received another number of bytes than the rest, or none did */
async function requireEqual(receivers: PinnedProcess): Promise<void> {
  const { total, least, most } = await receivers.ask<Received>({ kind: 'settled' } satisfies LoadQuestion);
  if (total === 0 || least !== most) throw new Error(`a subscriber received ${least} bytes, another ${most}`);
}
