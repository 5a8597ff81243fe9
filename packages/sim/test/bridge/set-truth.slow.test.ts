import { newPublication } from '@msg/engine/internal';
import { Payload } from '@msg/protocol';
import { encodePublicationRecord } from '@msg/protocol/internal';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { RealKernel } from '../../src/bridge/real-kernel.ts';
import { Sentinels } from '../../src/bridge/sentinels.ts';

const STREAM = 'msg:b:1.stream.public:sim.c0';
const META = 'msg:b:1.stream.meta.public:sim.c0';

function recordOf(text: string): Buffer {
  return Buffer.from(
    encodePublicationRecord(newPublication(new Payload(Buffer.from(`"${text}"`)), 0, {}, 0)),
  );
}

describe('the truth of a master with replicas', () => {
  const kernel = new RealKernel('1', () => '');
  let store: Sentinels | undefined;
  afterEach(() => store?.stop());

  it('has what each master wrote, and what the promoted one lacks', async () => {
    store = await Sentinels.start(kernel, { persistence: 'always', gate: () => undefined });
    const { truth } = store.tapped;
    const write = async (offset: number, text: string): Promise<void> => {
      const client = store?.nextMaster().client();
      await client?.callBuffer('XADD', STREAM, 'MAXLEN', '100', `${offset}`, 'd', recordOf(text));
      client?.disconnect();
      await eventually('the tap hears it', () => truth.published.some(each => each.text === `"${text}"`));
    };
    const old = store.nextMaster();
    await old.command('HSET', META, 'e', 'first');
    await write(1, 'kept');
    await eventually('the replicas have it', async () =>
      String(await old.command('INFO', 'replication')).includes('lag=0'),
    );

    const changed = store.failOver({ old: 'dead', heldMs: 2000, backMs: 100 });
    await eventually(
      'no replica follows',
      async () => !/slave\d+:ip=127.0.0.1,port=[1-9]/.test(String(await old.command('INFO', 'replication'))),
    );
    await write(2, 'lost');
    await changed;
    expect(store.nextMaster()).not.toBe(old);
    await write(2, 'again');

    expect(truth.published.map(({ text, epoch, offset }) => [text, epoch, offset])).toEqual([
      ['"kept"', 'first', 1],
      ['"lost"', 'first', 2],
      ['"again"', 'first', 2],
    ]);
    expect(truth.published.map(({ lostUs }) => lostUs !== undefined)).toEqual([false, true, false]);
    expect(truth.forks).toEqual([{ atUs: truth.published[1]?.lostUs, untilUs: expect.any(Number) }]);
    expect(truth.forks[0]?.untilUs).toBeLessThan(Number.POSITIVE_INFINITY);
  }, 180_000);
});
