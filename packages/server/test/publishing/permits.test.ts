import { METHODS } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { beforeEach, describe, expect, it } from 'vitest';
import { Batch } from '#src/api/batch.ts';
import { publishCommands } from '#src/api/commands/publish.ts';
import { COMMAND_RIGHTS } from '#src/api/commands/rights.ts';
import { readOlderForm, runOlderForm } from '#src/api/older-form.ts';
import { RequestRights } from '#src/api/rights.ts';
import { CommandRunner } from '#src/api/runner.ts';
import { allow } from '#src/auth/access/decision.ts';
import { ChannelOptionRules } from '#src/channels/channel-options.ts';
import { OutboxVersions } from '#src/publishing/outbox-versions.ts';
import { PublishPipeline, type PublishPipelineOptions } from '#src/publishing/pipeline.ts';
import { MemoryRateLimiter } from '#src/rate-limits/memory.ts';
import { RateLimits } from '#src/rate-limits/rate-limits.ts';
import { publishHandlers } from '#src/rpc/publishing.ts';

const caller = { principal: { kind: 'anonymous' }, clientAddress: '192.0.2.1' } as const;

describe('a request with several publications asks the limiter once', () => {
  let counts: number[];
  let pipeline: PublishPipeline;
  const access = { decide: () => allow('chs', '') };

  beforeEach(() => {
    const clock = new ManualClock();
    const limiter = new MemoryRateLimiter(clock);
    counts = [];
    const limits = new RateLimits({
      limiter: {
        take(bucket, subject, all, count) {
          counts.push(count);
          return limiter.take(bucket, subject, all, count);
        },
      },
      limits: { publish: { rate: 3, perMs: 1000, burst: 0 } },
      onDecision: () => {},
    });
    const parts = {
      node: () => ({ operational: true, publish: () => ({ offset: 1, epoch: 'e', suppressed: false }) }),
      channels: { openForUse: () => {}, noteActivity: () => {} },
      limits,
      schemas: { check: () => {} },
      options: new ChannelOptionRules([]),
      clock,
      outboxVersions: new OutboxVersions(),
      onEnd: () => {},
      onError: () => {},
    };
    pipeline = new PublishPipeline(parts as unknown as PublishPipelineOptions);
  });

  const api = () => {
    const parts = { pipeline, opener: { isAutomatic: false }, bareNames: '', nextTurn: async () => {} };
    const { publish: run, broadcast } = publishCommands(parts as never);
    const commands = new Map([
      ['publish', { run, rights: COMMAND_RIGHTS.publish }],
      ['broadcast', { run: broadcast, rights: COMMAND_RIGHTS.broadcast }],
    ]);
    const callerOfSeveral: PublishPipeline['callerOfSeveral'] = (one, count) =>
      pipeline.callerOfSeveral(one, count);
    const runner = new CommandRunner({
      commands,
      callerOfSeveral,
      audit: { run: () => Promise.reject(new Error('publishing is not audited')) },
      clock: new ManualClock(),
      onError: () => {},
    });
    const rights = new RequestRights({ ...access, showsPayloads: () => true }, caller.principal);
    return { runner, call: { caller, rights, requestId: '' } };
  };
  const publish = { channel: 'public:a.b', data: 1 };
  const broadcast = { channels: ['public:a.b', 'public:a.c', 'public:a.d'], data: 1 };
  const codes = (replies: readonly Record<string, { code?: number }>[]) =>
    replies.map(reply => reply['error']?.code ?? 0);

  it.each([false, true])('PublishMany of the RPC, in parallel: %s', async parallel => {
    const handlers = publishHandlers({ pipeline, access, onError: () => {} } as never);
    const item = { ...METHODS.Publish.request.zero(), name: 'public:a.b', data: Buffer.from('1') };
    const items = [item, item, item, item, item];
    const { results } = await handlers.PublishMany(
      { items, parallel, stop_channel_on_error: false },
      caller as never,
    );
    expect(results.map(({ error }) => error?.code)).toEqual([
      ...[undefined, undefined, undefined],
      ...['MSG_RATE_LIMITED', 'MSG_RATE_LIMITED'],
    ]);
    expect(counts).toEqual([5]);
  });

  it.each([false, true])(
    'a batch of the HTTP API with a broadcast in it, in parallel: %s',
    async parallel => {
      const { runner, call } = api();
      const batch = new Batch({ runner, maxBatch: 10, nextTurn: async () => {} });
      const commands = [{ publish }, { broadcast }, { nothing: {} }, { publish }];
      const { replies } = JSON.parse(await batch.run({ commands, parallel }, call));
      expect(codes(replies)).toEqual([0, 0, 104, 111]);
      expect(codes(replies[1].broadcast.responses)).toEqual([0, 0, 111]);
      expect(counts).toEqual([5]);
    },
  );

  it('the older form of the HTTP API', async () => {
    const { runner, call } = api();
    const line = JSON.stringify({ method: 'publish', params: publish });
    const text = await runOlderForm(readOlderForm(line.repeat(4), 10), call, runner);
    expect(codes(text.split('\n').map(reply => JSON.parse(reply)))).toEqual([0, 0, 0, 111]);
    expect(counts).toEqual([4]);
  });

  it('and one with a single publication as ever', async () => {
    const { runner, call } = api();
    const batch = new Batch({ runner, maxBatch: 10, nextTurn: async () => {} });
    for (let request = 0; request < 4; request++) await batch.run({ commands: [{ publish }] }, call);
    expect(counts).toEqual([1, 1, 1, 1]);
    const { replies } = JSON.parse(await batch.run({ commands: [{ publish }] }, call));
    expect(codes(replies)).toEqual([111]);
  });
});
