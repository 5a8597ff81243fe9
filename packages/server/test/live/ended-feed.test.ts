import { OwnTotal } from '@msg/engine/internal';
import { systemRandom } from '@msg/foundation/clock';
import { ManualClock } from '@msg/foundation/clock/testing';
import { expect, it } from 'vitest';
import { Feeds, type FeedsOptions } from '#src/live/feeds.ts';

it('a tail whose feed ends while it begins listens to nothing', async () => {
  const counted = Promise.withResolvers<void>();
  const node = {
    taps: 0,
    connections: { tap: async () => void node.taps++ },
    unsubscribeAll: async () => {},
  };
  const feeds = new Feeds({
    node: () => node,
    channels: { follow: () => {}, createPrivate: async () => {}, reusePrivate: async () => {} },
    counts: {
      async of() {
        await counted.promise;
        return { counts: new Map(), missing: [] };
      },
    },
    keepsHistory: () => false,
    ...{ total: new OwnTotal(), tails: new OwnTotal() },
    clock: new ManualClock(),
    random: systemRandom,
  } as unknown as FeedsOptions); // the parts that a tail needs to begin
  const { id } = await feeds.open({ kind: 'anonymous' }, new Set());
  const begun = feeds.startTail(id, '', {
    name: 'public:shop.room',
    perSecond: 5,
    maxPayloadBytes: 100,
    tags: new Map(),
    isShown: true,
  });
  await feeds.close(id, '');
  counted.resolve();
  expect(await begun).toBeUndefined();
  expect(node.taps).toBe(0);
});
