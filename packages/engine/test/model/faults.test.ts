import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Batch } from '#src/delivery/batch.ts';
import { type EncodedPublication, PLAIN } from '#src/delivery/encoded-push.ts';
import { Hub } from '#src/delivery/hub.ts';
import { PositionChecker } from '#src/delivery/position-check.ts';
import { PresenceEntry } from '#src/session/presence-entry.ts';
import { Subscription } from '#src/session/subscription.ts';
import { SubscriptionSet } from '#src/session/subscription-set.ts';
import { findFailing } from './run.ts';

// The model is worth what it finds. Here the engine is broken on purpose, in one way at a time, and the model has
// to notice. This is the only file of the model that knows the engine from inside.

const SEED = 20_260_102;
const RUNS = 10_000;

/** Faults of plain functions, which cannot be replaced from outside their modules. */
const broken = vi.hoisted(() => ({
  holesPass: false,
  firstOffsetUnchecked: false,
  epochIgnored: false,
  recoveryRefused: false,
  rejectionForgotten: false,
  wrongBase: false,
}));

vi.mock('#src/stream/continuity.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/stream/continuity.ts')>();
  const continues: typeof original.continues = (top, items) =>
    broken.holesPass || original.continues(top, items);
  return { continues };
});

vi.mock('#src/stream/recovery.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/stream/recovery.ts')>();
  const continuesFrom: typeof original.continuesFrom = (client, history) => {
    if (broken.recoveryRefused) return false;
    const asked = broken.epochIgnored ? { ...client, epoch: '' } : client;
    const first = history.publications[0];
    if (!broken.firstOffsetUnchecked || first === undefined) return original.continuesFrom(asked, history);
    return original.continuesFrom({ ...asked, offset: first.offset - 1 }, history);
  };
  return { ...original, continuesFrom };
});

vi.mock('#src/stream/delta.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/stream/delta.ts')>();
  let last: Parameters<typeof original.patchBetween>[1] | null = null;
  const patchBetween: typeof original.patchBetween = (encoding, previous, next) => {
    const base = broken.wrongBase && last !== null ? last : previous;
    last = previous;
    return original.patchBetween(encoding, base, next);
  };
  return { patchBetween };
});

vi.mock('#src/session/subscribe.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/session/subscribe.ts')>();
  const settleSubscribe: typeof original.settleSubscribe = prepared => {
    if (!broken.rejectionForgotten) return original.settleSubscribe(prepared);
    return original.settleSubscribe({ ...prepared, requested: { ...prepared.requested, flag: 0 } });
  };
  return { ...original, settleSubscribe };
});

beforeEach(() => Object.assign(broken, Object.fromEntries(Object.keys(broken).map(name => [name, false]))));
afterEach(() => vi.restoreAllMocks());

/** Runs `meddle` before each delivery. */
function beforeDelivery(meddle: (subscription: Subscription, prepared: EncodedPublication) => void): void {
  const { deliver } = Subscription.prototype;
  vi.spyOn(Subscription.prototype, 'deliver').mockImplementation(function (this: Subscription, prepared) {
    meddle(this, prepared);
    deliver.call(this, prepared);
  });
}

type GoLive = (position: { readonly offset: number; readonly epoch: string }) => void;

/** Replaces the step from buffering to live; `original` is the step as it should be. */
function instead(meddle: (subscription: Subscription, original: GoLive) => GoLive): void {
  const { goLive } = Subscription.prototype;
  vi.spyOn(Subscription.prototype, 'goLive').mockImplementation(function (this: Subscription, position) {
    meddle(this, goLive.bind(this))(position);
  });
}

/** Makes the subscription take what comes for the next one, whatever it is. */
function accept(subscription: Subscription, { position }: EncodedPublication): void {
  subscription.offset = position.offset - 1;
  subscription.epoch = position.epoch;
}

const FAULTS: Readonly<Record<string, () => void>> = {
  'publications are sent before the subscribe reply': () =>
    beforeDelivery((subscription, prepared) => {
      if (subscription.live || subscription.ended) return;
      const batch = prepared.batch(subscription.session.framing, PLAIN);
      if (batch !== null) subscription.session.push(batch);
    }),

  'a hole in the buffer of a subscribe is not looked for': () => {
    broken.holesPass = true;
    let merging = false;
    instead((_, original) => position => {
      merging = true;
      original(position);
      merging = false;
    });
    beforeDelivery((subscription, prepared) => {
      if (merging && prepared.position.offset > subscription.offset) accept(subscription, prepared);
    });
  },

  'the buffer of a subscribe is dropped': () => {
    vi.spyOn(Subscription.prototype, 'buffered', 'get').mockReturnValue([]);
  },

  'the buffer of a subscribe is dropped and its offsets are taken for delivered': () =>
    instead((subscription, original) => ({ offset, epoch }) => {
      const top = Math.max(offset, ...subscription.buffered.map(({ position }) => position.offset));
      original({ offset: top, epoch });
    }),

  'the buffer of a subscribe is delivered twice': () =>
    instead((subscription, original) => position => {
      const buffered = [...subscription.buffered];
      original(position);
      for (const prepared of buffered) {
        accept(subscription, prepared);
        subscription.deliver(prepared);
      }
    }),

  'another epoch is accepted live': () =>
    beforeDelivery((subscription, { position }) => {
      if (subscription.live) subscription.epoch = position.epoch;
    }),

  'a gap is accepted live': () =>
    beforeDelivery((subscription, prepared) => {
      if (subscription.live && prepared.position.offset > subscription.offset + 1) {
        subscription.offset = prepared.position.offset - 1;
      }
    }),

  'a duplicate is not skipped live': () =>
    beforeDelivery((subscription, prepared) => {
      if (subscription.live && prepared.position.offset <= subscription.offset) {
        subscription.offset = prepared.position.offset - 1;
      }
    }),

  'a publication is counted and not sent': () => {
    let count = 0;
    beforeDelivery(subscription => {
      if (subscription.live && ++count % 20 === 0) subscription.offset++;
    });
  },

  'an unsubscribe is answered first and carried out later': () => {
    const { leave } = SubscriptionSet.prototype;
    vi.spyOn(SubscriptionSet.prototype, 'leave').mockImplementation(function (
      this: SubscriptionSet,
      ...args
    ) {
      setImmediate(() => leave.apply(this, args));
      return null;
    });
  },

  'a client is told of its unsubscribe while it is still registered': () => {
    const { release } = SubscriptionSet.prototype;
    vi.spyOn(SubscriptionSet.prototype, 'end').mockImplementation(function (
      this: SubscriptionSet,
      subscription,
      unsubscribe,
    ) {
      const { channel, session } = subscription;
      const { framing } = session;
      session.push(new Batch(framing, framing.codec.encodePush({ channel, unsubscribe })));
      setImmediate(() => setImmediate(() => release.call(this, subscription)));
    });
  },

  'a server unsubscribe is not carried out': () => {
    vi.spyOn(SubscriptionSet.prototype, 'endWhenLive').mockReturnValue(false);
  },

  'recovery does not look at the first offset': () => {
    broken.firstOffsetUnchecked = true;
  },

  'recovery ignores the epoch': () => {
    broken.epochIgnored = true;
  },

  'recovery is refused where it is possible': () => {
    broken.recoveryRefused = true;
  },

  'a failed recovery is not rejected where the client wants that': () => {
    broken.rejectionForgotten = true;
  },

  'patches are made against the wrong base': () => {
    broken.wrongBase = true;
  },

  'a client without a base gets a patch': () =>
    instead((subscription, original) => position => {
      subscription.deltaReady = true;
      original(position);
    }),

  'positions are not checked': () => {
    vi.spyOn(PositionChecker.prototype, 'checkIfQuiet').mockReturnValue(undefined);
  },

  'the hub keeps those who left': () => {
    vi.spyOn(Hub.prototype, 'remove').mockReturnValue(undefined);
  },

  'the presence entry outlives the subscription': () => {
    vi.spyOn(PresenceEntry.prototype, 'leave').mockResolvedValue(undefined);
  },

  'a closed connection keeps its subscriptions': () => {
    vi.spyOn(SubscriptionSet.prototype, 'releaseAll').mockReturnValue(undefined);
  },
};

it('the model has nothing to say against the engine as it is', async () => {
  expect(await findFailing(SEED, 500)).toBeNull();
});

describe('the model notices within the runs of CI that', () => {
  it.each(Object.keys(FAULTS))(
    '%s',
    async name => {
      FAULTS[name]?.();
      const failure = await findFailing(SEED, RUNS);
      expect(failure).not.toBeNull();
      console.log(`found after ${failure?.run} runs: ${name}\n  ${failure?.violation}`);
    },
    120_000,
  );
});
