import { METHODS, MsgError, type ScopeClaim } from '@msg/core';
import { type Client, Payload, type PublishEvent, RealtimeNode } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { countPromises, DirectClient } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccessControl } from '#src/auth/access/access-control.ts';
import { allow, denyState } from '#src/auth/access/decision.ts';
import type { Principal } from '#src/auth/access/principal.ts';
import { parseKeyring } from '#src/auth/keys/document.ts';
import { Keyring } from '#src/auth/keys/keyring.ts';
import { VerifiedToken } from '#src/auth/tokens/claims.ts';
import { TokenVerifier } from '#src/auth/tokens/verifier.ts';
import { ChannelOptionRules } from '#src/channels/channel-options.ts';
import { ChannelManager } from '#src/channels/manager.ts';
import { MemoryChannelRegistry } from '#src/channels/registry/memory.ts';
import { PublishOrSink } from '#src/notify/sinks/publish-or-sink.ts';
import { OutboxVersions } from '#src/publishing/outbox-versions.ts';
import { PublishPipeline, type PublishPipelineOptions } from '#src/publishing/pipeline.ts';
import { ClientLimits } from '#src/rate-limits/client-limits.ts';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { RateLimits } from '#src/rate-limits/rate-limits.ts';
import { RealtimePolicy } from '#src/realtime/policy.ts';
import { publishHandlers } from '#src/rpc/publishing.ts';
import { keyringDocument, TestKey } from '../support/minting.ts';

const NAME = 'public:shop.news';
const DATA = Buffer.from('{"n":1}');
const ANONYMOUS: Principal = { kind: 'anonymous' };
const CLIENT = { user: 'ann', id: 'c-1' } as Client;
const INFO = { user: 'ann', client: 'c-1', connInfo: null, chanInfo: null };
const EVENT: PublishEvent = { channel: NAME, data: DATA, payload: new Payload(DATA), info: INFO };

describe('the gates of each row', () => {
  let seen: string[];
  /** The gate that refuses; empty: none. */
  let refusing: string;
  let isDeclared: boolean;

  /** A gate that is noted, and answers at once or later. */
  function gate<T>(name: string, later: boolean, answer: T): () => T {
    return () => {
      seen.push(name);
      if (name === refusing) throw new MsgError('MSG_INVALID_ARGUMENT', name);
      return (later ? Promise.resolve(answer) : answer) as T;
    };
  }

  function pipelineOf(later: boolean): PublishPipeline {
    const state = isDeclared ? denyState(NAME, undefined) : undefined;
    const publish = gate('broker', later, { offset: 1, epoch: 'e', suppressed: false });
    const parts = {
      node: () => ({ operational: true, publish }),
      channels: {
        openForUse: gate('channel open', later, undefined),
        opensOnUse: () => isDeclared,
        peekState: () => undefined,
        noteActivity: gate('activity', later, undefined),
      },
      access: {
        decideState: gate('name and state', later, state),
        decide: gate('grant', later, allow('chs', '')),
      },
      limits: { takePublish: gate('rate', later, undefined) },
      clientLimits: { publish: gate('rate', later, undefined), open: gate('open rate', later, undefined) },
      schemas: { check: gate('schema', false, undefined) },
      options: new ChannelOptionRules([]),
      clock: new ManualClock(),
      outboxVersions: new OutboxVersions(),
      sendsInOrder: false,
      onEnd: (_channel: string, ok: boolean) => void seen.push(ok ? 'counted' : 'failure counted'),
      onError: () => {},
    };
    return new PublishPipeline(parts as unknown as PublishPipelineOptions);
  }

  beforeEach(() => {
    seen = [];
    refusing = '';
    isDeclared = false;
  });

  const forward = () => {
    seen.push('broker');
    return { offset: 1, epoch: 'e', suppressed: false };
  };
  const deliver = async (pipeline: PublishPipeline, count: number) => {
    const subscribers = { count: gate('subscriber count', true, count) };
    const sinks = { require: () => ({ deliver: gate('sink', true, 'sink') }) };
    const parts = { subscribers, pipeline, sinks } as unknown as ConstructorParameters<
      typeof PublishOrSink
    >[0];
    const delivery = { sink: 's', recipient: null, message: {} };
    const caller = { principal: ANONYMOUS, clientAddress: '192.0.2.1' };
    await new PublishOrSink(parts).deliverForCaller(caller, NAME, DATA, delivery);
  };
  const caller = { principal: ANONYMOUS, clientAddress: '192.0.2.1' };
  const PUBLISHED = ['channel open', 'schema', 'broker', 'activity', 'counted'];

  const ROWS: [string, (pipeline: PublishPipeline) => unknown, string[]][] = [
    ['RPC', pipeline => pipeline.publishForCaller(caller, NAME, DATA, {}), ['rate', ...PUBLISHED]],
    ['library and schema broadcast', pipeline => pipeline.publish(NAME, DATA), PUBLISHED],
    [
      'client',
      pipeline => pipeline.publishForClient(CLIENT, null, EVENT, forward),
      ['name and state', 'rate', 'grant', 'schema', 'broker', 'activity', 'counted'],
    ],
    [
      'PublishOrSink with subscribers',
      pipeline => deliver(pipeline, 1),
      ['rate', 'subscriber count', ...PUBLISHED],
    ],
    ['PublishOrSink without', pipeline => deliver(pipeline, 0), ['rate', 'subscriber count', 'sink']],
  ];

  it.each(ROWS)('%s: in this order, whether they answer at once or later', async (_who, publish, order) => {
    for (const later of [false, true]) {
      seen = [];
      await publish(pipelineOf(later));
      expect(seen).toEqual(order);
    }
  });

  it.each(ROWS.slice(0, 3))('%s: after one that refuses no other runs', async (_who, publish, order) => {
    for (const later of [false, true]) {
      for (const [index, name] of order.slice(0, order.indexOf('broker')).entries()) {
        seen = [];
        refusing = name;
        await expect(async () => publish(pipelineOf(later))).rejects.toThrow(name);
        // What the rate of the RPC refuses is not a publish.
        const counted = order[0] === 'rate' && name === 'rate' ? [] : ['failure counted'];
        expect(seen).toEqual([...order.slice(0, index + 1), ...counted]);
      }
    }
  });

  it('client: a declared channel is opened when nothing but its schema can refuse any more', async () => {
    isDeclared = true;
    await pipelineOf(false).publishForClient(CLIENT, null, EVENT, forward);
    const opening = ['open rate', 'channel open'];
    expect(seen).toEqual([
      'name and state',
      'rate',
      'grant',
      ...opening,
      'schema',
      'broker',
      'activity',
      'counted',
    ]);
  });
});

describe('with everything in this process no promise is made', () => {
  const clock = new ManualClock();
  let node: RealtimeNode;
  let pipeline: PublishPipeline;
  let token: string;
  let published: boolean[];
  afterEach(() => node.shutdown({ graceMs: 0 }));

  beforeEach(async () => {
    const key = new TestKey();
    const keyring = await Keyring.open({
      clock,
      random: systemRandom,
      keySet: parseKeyring(keyringDocument(key)),
    });
    const verifier = new TokenVerifier({ keyring, clock, random: systemRandom });
    const iat = Math.floor(clock.now() / 1000);
    const scopes: ScopeClaim[] = [{ pat: 'public:**', v: ['publish'] }];
    token = key.sign({ sub: 'ann', typ: 'access', iat, exp: iat + 300, scopes });
    const registry = new MemoryChannelRegistry(clock);
    const channels = new ChannelManager({ registry, clock, onDeleted: async () => {} });
    const isRevoked = () => false;
    const custom = { ask: () => undefined };
    const access = new AccessControl({ channels, verifier, isRevoked, custom });
    const limits = new RateLimits({
      limiter: new MemoryRateLimiter(clock),
      limits: {},
      onDecision: () => {},
    });
    const clientLimits = new ClientLimits(limits);
    const options = new ChannelOptionRules([{ pattern: 'public:**', payload: 'json' }]);
    const onError = (error: unknown) => expect.unreachable(String(error));
    const publishing = () => pipeline;
    published = [];
    node = new RealtimeNode({
      policy: new RealtimePolicy({
        channels,
        verifier,
        access,
        options,
        limits: clientLimits,
        publishing,
        onError,
      }),
      clock,
    });
    pipeline = new PublishPipeline({
      node: () => node,
      channels,
      access,
      limits,
      clientLimits,
      schemas: { check: () => {} },
      options,
      clock,
      outboxVersions: new OutboxVersions(),
      sendsInOrder: false,
      onEnd: (_channel, ok) => published.push(ok),
      onError,
    });
    await node.start();
    await channels.openPublic(NAME);
  });

  it('for a client, from its command to its reply', async () => {
    const client = new DirectClient(node);
    client.send({ connect: { token } });
    await new Promise(resolve => setImmediate(resolve));
    const count = countPromises(() => {
      for (let n = 0; n < 20; n++) client.send({ publish: { channel: NAME, data: DATA } });
    });
    expect([count, published]).toEqual([0, new Array(20).fill(true)]);
    await clock.advance(0);
    await new Promise(resolve => setImmediate(resolve));
    expect(client.replies.filter(({ publish }) => publish !== null)).toHaveLength(20);
    const { publications } = await node.history(NAME, { limit: -1 });
    expect(publications.map(({ info }) => info?.user)).toEqual(new Array(20).fill('ann'));
  });

  it('for a call of the RPC, and for the library', async () => {
    const parts = { pipeline } as unknown as Parameters<typeof publishHandlers>[0];
    const { Publish } = publishHandlers(parts);
    const management = new VerifiedToken({ sub: 'app', typ: 'mgmt', iat: 0, exp: 1 }, 'k', 'f');
    const call = {
      principal: { kind: 'management', token: management },
      clientAddress: '192.0.2.1',
    } as const;
    const request = { ...METHODS.Publish.request.zero(), name: NAME, data: DATA };
    const answers: unknown[] = [];
    const count = countPromises(() => {
      for (let n = 0; n < 20; n++) answers.push(Publish(request, call));
      answers.push(pipeline.publish(NAME, DATA));
    });
    expect(count).toBe(0);
    expect(answers.at(-1)).toEqual({ offset: 21, epoch: expect.stringMatching(/./), suppressed: false });
  });
});
