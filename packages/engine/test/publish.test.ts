import { MemoryBroker, type PublishResult, RealtimeNode, TimerWheel } from '@msg/engine';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, expect, test } from 'vitest';

const DATA = Buffer.from('1');
const STREAM = { stream: { size: 1, ttlMs: 1000 } };

class RefusingBroker extends MemoryBroker {
  override publish(): PublishResult {
    throw new Error('refused');
  }
}

let node: RealtimeNode;

async function start(Kind: typeof MemoryBroker): Promise<void> {
  const clock = new ManualClock();
  const broker = new Kind({ clock, random: systemRandom, wheel: new TimerWheel(clock) });
  node = new RealtimeNode({ policy: { connect: () => ({ user: '' }) }, clock, broker });
  await node.start();
}

afterEach(() => node.shutdown({ graceMs: 0 }));

test('a publish answers at once what a broker in this process says', async () => {
  await start(MemoryBroker);
  const { epoch } = await node.publish('news', DATA, STREAM);
  expect(node.publish('news', DATA, STREAM)).toEqual({ offset: 2, epoch, suppressed: false });
});

test('what such a broker throws is thrown', async () => {
  await start(RefusingBroker);
  expect(() => node.publish('news', DATA)).toThrow('refused');
});
