import { createHash } from 'node:crypto';
import { ResidueSums } from '@msg/protocol/internal';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { DocumentState } from '#src/append/document-state.ts';
import { OpenMessages } from '#src/broker/open-messages.ts';
import { Mirror } from '#src/broker/redis/appends/mirror.ts';
import { Mirrors } from '#src/broker/redis/appends/mirrors.ts';
import { APPEND, APPEND_TEXT } from '#src/broker/redis/appends/scripts.ts';
import { HubChannel } from '#src/delivery/hub-channel.ts';
import { StateReaders } from '#src/delivery/state-readers.ts';
import { CompactedStream } from '#src/stream/compacted-stream.ts';
import { RedisWorld } from './redis-world.ts';
import { playAppends, type RunResult } from './world.ts';

// Here append streams are broken on purpose, in one way at a time, and the model has to notice.

const SEED = 20_261_123;
const RUNS = 200;
/** A run on Redis has real connections, and takes seconds. */
const REDIS_RUNS = 40;
const STEPS = 500;

const broken = vi.hoisted(() => ({
  appliedTwice: false,
  endForgotten: false,
  everybodyAppends: false,
  characterCut: false,
  recoveredUnproven: false,
}));
/** In the text of the store's scripts: what stands there, and what stands there instead. */
const edits = vi.hoisted((): [text: string, other: string][] => []);

vi.mock('#src/append/numbers.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/append/numbers.ts')>();
  const decideByNumbers: typeof original.decideByNumbers = (open, ended, request) => {
    const producer = open?.producer ?? ended?.producer ?? request.producer;
    const asked = broken.everybodyAppends ? { ...request, producer } : request;
    const decision = original.decideByNumbers(open, broken.endForgotten ? null : ended, asked);
    const repeats = broken.appliedTwice && decision.kind === 'grow' && decision.skip < request.count;
    return repeats ? { ...decision, skip: 0 } : decision;
  };
  return { decideByNumbers };
});

vi.mock('#src/append/prepare.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/append/prepare.ts')>();
  const prepareAppend: typeof original.prepareAppend = command => {
    const prepared = original.prepareAppend(command);
    if (!broken.characterCut) return prepared;
    const ops = prepared.ops.map(op =>
      op.kind === 'text' && op.bytes.length > 100 ? { ...op, bytes: op.bytes.subarray(0, 8) } : op,
    );
    return { ...prepared, ops };
  };
  return { ...original, prepareAppend };
});

vi.mock('#src/stream/recovery.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/stream/recovery.ts')>();
  const continuesFrom: typeof original.continuesFrom = (client, history) =>
    broken.recoveredUnproven && client.epoch === history.epoch
      ? true
      : original.continuesFrom(client, history);
  return { ...original, continuesFrom };
});

vi.mock('#src/broker/redis/appends/scripts.ts', async importOriginal => {
  const original = await importOriginal<typeof import('#src/broker/redis/appends/scripts.ts')>();
  const edited = (script: { readonly source: string }) => ({
    get source() {
      return edits.reduce((text, [from, to]) => text.replace(from, to), script.source);
    },
    get sha1() {
      return createHash('sha1').update(this.source).digest('hex');
    },
  });
  const { APPEND, APPEND_TEXT, END, CANCEL, STATE, HISTORY } = original;
  const scripts = { APPEND, APPEND_TEXT, END, CANCEL, STATE, HISTORY };
  const entries = Object.entries(scripts).map(([name, script]) => [name, edited(script)]);
  return { ...original, ...Object.fromEntries(entries) };
});

type Faults = Readonly<Record<string, () => void>>;

/** Of the node, whatever its store. */
const NODE_FAULTS: Faults = {
  'a text is cut inside a character': () => {
    broken.characterCut = true;
  },

  'a recovery is claimed that nothing proves': () => {
    broken.recoveredUnproven = true;
  },

  'the sums are not moved behind a head of another length': () => {
    const { weightAt } = ResidueSums.prototype;
    vi.spyOn(ResidueSums.prototype, 'weightAt').mockImplementation(function (this: ResidueSums) {
      return weightAt.call(this, 0);
    });
  },

  'a patch is made against a state that another publication followed': () => {
    const { deliver } = StateReaders.prototype;
    let last: DocumentState | null = null;
    vi.spyOn(StateReaders.prototype, 'deliver').mockImplementation(function (
      this: StateReaders,
      state,
      windowMs,
    ) {
      const previous = state.previous ?? last;
      last = state.ended ? null : state.document;
      deliver.call(this, { ...state, previous }, windowMs);
    });
  },

  'a state that was held back comes after a newer publication': () => {
    vi.spyOn(StateReaders.prototype, 'serveAll').mockImplementation(() => {});
  },

  'a reader that joins does not get the text so far': () => {
    vi.spyOn(HubChannel.prototype, 'joined').mockReturnValue([]);
  },
};

/** Of the store in memory. */
const MEMORY_FAULTS: Faults = {
  'operations that were applied are applied again with the next ones': () => {
    broken.appliedTwice = true;
  },

  'an ended message is forgotten, and opens again': () => {
    broken.endForgotten = true;
  },

  'every producer may append': () => {
    broken.everybodyAppends = true;
  },

  'an entry claims one offset more than it may': () => {
    const { compacted } = CompactedStream.prototype;
    vi.spyOn(CompactedStream.prototype, 'compacted').mockImplementation(function (
      this: CompactedStream,
      read,
    ) {
      const window = compacted.call(this, read);
      return { ...window, priors: window.priors.map(prior => prior - 1) };
    });
  },

  'a message ends twice': () => {
    const { flush } = OpenMessages.prototype;
    vi.spyOn(OpenMessages.prototype, 'flush').mockImplementation(function (this: OpenMessages, ...flushed) {
      flush.call(this, ...flushed);
      if (flushed[3].end !== null) flush.call(this, ...flushed);
    });
  },
};

/** Puts another text into the scripts of the store. */
function edit(text: string, other: string): () => void {
  return () => void edits.push([text, other]);
}

/** Of the store in Redis: of its scripts, and of the copies that nodes keep. */
const REDIS_FAULTS: Faults = {
  'operations that were applied are applied again with the next ones': edit(
    'skip = math.min(count, next_seq - seq)',
    'skip = next_seq - seq < count and 0 or count',
  ),
  'an ended message is forgotten, and opens again': edit(
    'local is_ended = done[1] and done[1] == first',
    'local is_ended = false',
  ),
  'every producer may append': edit('producer ~= m[PRODUCER]\n', 'false\n'),
  'an entry claims one offset more than it may': edit(
    "'d', record, 'p', redis.call('HGET', meta, 'r'))",
    "'d', record, 'p', redis.call('HGET', meta, 'r') - 1)",
  ),
  'operations of a request are stored in another order': () => {
    edit('parts[#parts + 1] = bytes\n  elseif', 'table.insert(parts, 1, bytes)\n  elseif')();
    edit('if not known[3] then return end', 'do return end')(); // no text takes the short way
  },
  'text is added whatever its number': edit('m[3] + 1 ~= tonumber(ARGV[3])', 'false'),
  'a message ends twice': edit(
    'flags = flush(m, epoch, added, tail, head, last, flags, channel, command)',
    `flags = flush(m, epoch, added, tail, head, last, flags, channel, command)
  if last then
    redis.call('HSET', meta, 'r', 0)
    flush(m, epoch, '', tail, head, last, 0, channel, command)
  end`,
  ),

  'a message without all its parts grows on': edit(
    "if redis.call('STRLEN', body) == m[LENGTH] then",
    "if redis.call('STRLEN', body) then m[LENGTH] = redis.call('STRLEN', body)",
  ),

  'a copy that missed a state is not dropped': () => {
    vi.spyOn(Mirrors.prototype, 'doubt').mockImplementation(() => {});
    vi.spyOn(Mirror.prototype, 'pass').mockReturnValue(true);
    const { grow } = Mirror.prototype;
    vi.spyOn(Mirror.prototype, 'grow').mockImplementation(function (this: Mirror, state) {
      const { message, top } = this;
      const { position } = state;
      const next = { epoch: top.epoch, offset: top.offset + 1 };
      const grown = grow.call(this, { ...state, message, from: this.state.bodyLength, position: next });
      if (grown === null) return null;
      return { ...grown, position, publication: { ...grown.publication, offset: position.offset } };
    });
  },
};

beforeEach(() => {
  Object.assign(broken, Object.fromEntries(Object.keys(broken).map(name => [name, false])));
  edits.length = 0;
});
afterEach(() => vi.restoreAllMocks());

/** What the model reports first; null: nothing in so many runs. */
async function firstViolation(
  runs: number,
  play: (seed: number) => Promise<RunResult>,
): Promise<string | null> {
  for (let seed = SEED; seed < SEED + runs; seed++) {
    const { violation } = await play(seed);
    if (violation !== null) return violation;
  }
  return null;
}

describe('the model of append streams notices when', () => {
  it.each(Object.entries({ ...MEMORY_FAULTS, ...NODE_FAULTS }))(
    '%s',
    async (_, plant) => {
      plant();
      expect(await firstViolation(RUNS, seed => playAppends(seed, STEPS))).not.toBeNull();
    },
    300_000,
  );
});

describe('the model of append streams on two nodes and one Redis notices when', () => {
  let redis: RedisServer;
  beforeAll(async () => {
    redis = await RedisServer.start();
  }, 60_000);
  beforeEach(async () => void (await redis.command('FLUSHALL')));
  afterAll(() => redis.stop());

  it.each(Object.entries({ ...REDIS_FAULTS, ...NODE_FAULTS }))(
    '%s',
    async (_, plant) => {
      plant();
      const sources = APPEND.source + APPEND_TEXT.source;
      for (const [, other] of edits) expect(sources).toContain(other);
      const play = (seed: number) => new RedisWorld(redis.address, seed).play(STEPS);
      expect(await firstViolation(REDIS_RUNS, play)).not.toBeNull();
    },
    300_000,
  );
});
