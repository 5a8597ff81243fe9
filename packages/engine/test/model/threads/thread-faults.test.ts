import { LinkEnd } from '@msg/engine/threads';
import { Arena } from '@msg/protocol/internal';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { BrokerThread } from '#src/broker/threads/broker-thread.ts';
import { Interests } from '#src/broker/threads/interests.ts';
import { findFailing } from './run.ts';
import { playing } from './world.ts';

// The model is worth what it finds: here one rule of the link is broken on purpose, and the model has to notice.

const SEED = 20_260_102;
const RUNS = 2000;

afterEach(() => vi.restoreAllMocks());

/** Runs something in a later turn of main. */
function later(callback: () => void, turns = 1): void {
  playing?.main.post(callback, turns);
}

const FAULTS: Readonly<Record<string, () => void>> = {
  'a thread that missed publications is not told': () => {
    vi.spyOn(BrokerThread.prototype, 'gap').mockReturnValue(undefined);
  },

  'a subscribe is answered before its interest is set': () => {
    const { add } = Interests.prototype;
    vi.spyOn(Interests.prototype, 'add').mockImplementation(function (this: Interests, channel, set, undo) {
      return add.call(this, channel, interest => later(() => set(interest)), undo);
    });
  },

  'a publish is answered before its own copy is sent': () => {
    const { post } = BrokerThread.prototype;
    vi.spyOn(BrokerThread.prototype, 'post').mockImplementation(function (
      this: BrokerThread,
      kind,
      channel,
      body,
      ...rest
    ) {
      const copy = new Uint8Array(body);
      later(() => post.call(this, kind, channel, copy, ...rest));
      return true;
    });
  },

  'a thread says where a stream is without what main has answered meanwhile': () => {
    vi.spyOn(LinkEnd.prototype, 'readNow').mockReturnValue(true);
  },

  'what a reader keeps is memory of the ring': () => {
    const { copy } = Arena.prototype;
    vi.spyOn(Arena.prototype, 'copy').mockImplementation(function (this: Arena, bytes, start, end) {
      const isRing = bytes.buffer instanceof SharedArrayBuffer;
      return isRing ? bytes.subarray(start, end) : copy.call(this, bytes, start, end);
    });
  },
};

describe('the model over links notices within 2,000 runs that', () => {
  it('nothing is wrong with the links as they are', async () => {
    expect(await findFailing(SEED, 200)).toBeNull();
  });

  it.each(Object.keys(FAULTS))(
    '%s',
    async name => {
      FAULTS[name]?.();
      const failure = await findFailing(SEED, RUNS);
      console.log(`found after ${failure?.run} runs: ${name}\n  ${failure?.violation}`);
      expect(failure).not.toBeNull();
    },
    240_000,
  );

  it('a slot changes after the answer', async () => {
    const failure = await findFailing(SEED, RUNS, undefined, true);
    console.log(`found after ${failure?.run} runs: a late slot\n  ${failure?.violation}`);
    expect(failure).not.toBeNull();
  }, 240_000);
});
