import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@msg/foundation/clock';
import { describe, expect, it } from 'vitest';
import { Batch } from '#src/api/batch.ts';
import type { ApiCall } from '#src/api/command.ts';
import { COMMAND_RIGHTS } from '#src/api/commands/rights.ts';
import { RequestRights } from '#src/api/rights.ts';
import { CommandRunner } from '#src/api/runner.ts';

const READS = 100;
const MIB = 1024 * 1024;

/** A batch whose commands wait for a turn of the event loop, and what ran at the same time. */
function batchOf(name: string, answer?: string) {
  const running = { now: 0, most: 0 };
  const commands = new Map([
    [
      name,
      {
        rights: COMMAND_RIGHTS.presence,
        run: async (members: Readonly<Record<string, unknown>>) => {
          running.most = Math.max(running.most, ++running.now);
          await nextTurn();
          running.now--;
          return JSON.stringify(answer ?? members['channel']);
        },
      },
    ],
  ]);
  const runner = new CommandRunner({
    commands,
    callerOfSeveral: caller => caller,
    audit: { run: async (_call, work) => work() },
    clock: systemClock,
    onError: error => {
      throw error;
    },
  });
  return { running, batch: new Batch({ runner, maxBatch: 1000, nextTurn }) };
}

function callOf(): ApiCall {
  const principal = { kind: 'anonymous' } as const;
  const access = {
    decide: () => Promise.reject(new Error('no command asks for rights')),
    showsPayloads: () => true,
  };
  const rights = new RequestRights(access, principal);
  return { caller: { principal, clientAddress: '' }, rights, requestId: '' };
}

describe('a parallel batch', () => {
  const names = Array.from({ length: READS }, (_, index) => `public:reads.${index}`);

  it.each(['history', 'presence', 'presence_stats'])(
    'runs 16 of its %s commands at the same time, and answers all in their order',
    async name => {
      const { running, batch } = batchOf(name);
      const commands = names.map(channel => ({ [name]: { channel } }));
      const text = await batch.run({ parallel: true, commands }, callOf());
      expect(JSON.parse(text)).toEqual({ replies: names.map(channel => ({ [name]: channel })) });
      expect(running.most).toBe(16);
    },
  );

  it.each([true, false])('reads no more than 16 MiB and what is under way, parallel: %s', async parallel => {
    const { batch } = batchOf('history', 'x'.repeat(MIB));
    const commands = names.map(channel => ({ history: { channel } }));
    const text = await batch.run({ parallel, commands }, callOf());
    const { replies } = JSON.parse(text) as { replies: { error?: { code: number } }[] };
    const answered = replies.filter(({ error }) => error === undefined).length;
    expect(answered).toBeGreaterThanOrEqual(16);
    expect(answered).toBeLessThanOrEqual(32);
    expect(replies.slice(answered)).toEqual(
      Array.from({ length: READS - answered }, () => ({ error: { code: 107, message: 'bad request' } })),
    );
  });

  it('runs publications of different channels all at once', async () => {
    const { running, batch } = batchOf('publish');
    const commands = names.slice(0, 64).map(channel => ({ publish: { channel } }));
    await batch.run({ parallel: true, commands }, callOf());
    expect(running.most).toBe(64);
  });
});
