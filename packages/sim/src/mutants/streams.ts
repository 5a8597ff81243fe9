import type { Mutant } from './mutant.ts';

const RECOVERY = 'packages/engine/src/stream/recovery.ts';
const STREAM = 'packages/engine/src/stream/stream.ts';
const MEMORY = 'packages/engine/src/broker/memory.ts';
const RECORD = 'packages/engine/src/broker/memory-record.ts';

/** Bugs in streams, in what they keep, and in the decision whether a client recovers. */
export const STREAM_MUTANTS: readonly Mutant[] = [
  {
    name: 'first-offset-unchecked',
    world: 'memory',
    file: RECOVERY,
    text: 'return first.offset === client.offset + 1 && last.offset === history.offset;',
    replacement: 'return last.offset === history.offset;',
    oracles: ['O5'],
  },
  {
    name: 'empty-window-recovers',
    world: 'memory',
    file: RECOVERY,
    text: 'return history.offset === client.offset;',
    replacement: 'return true;',
    oracles: ['O5'],
  },
  {
    name: 'epoch-ignored',
    world: 'memory',
    file: RECOVERY,
    text: "if (client.epoch !== '' && client.epoch !== history.epoch) return false;",
    replacement: '',
    oracles: ['O5'],
  },
  {
    name: 'nothing-recovers',
    world: 'memory',
    file: RECOVERY,
    text: 'return first.offset === client.offset + 1 && last.offset === history.offset;',
    replacement: 'return false;',
    oracles: ['O6'],
  },
  {
    name: 'read-skips-one',
    world: 'memory',
    file: STREAM,
    text: 'const first = filter.since === undefined ? oldest : Math.max(oldest, filter.since.offset + 1);',
    replacement:
      'const first = filter.since === undefined ? oldest : Math.max(oldest, filter.since.offset + 2);',
    oracles: ['O1', 'O6'],
  },
  {
    name: 'ring-off-by-one',
    world: 'memory',
    file: STREAM,
    text: 'return this.#items[(this.#head + index) % this.#items.length]',
    replacement: 'return this.#items[(this.#head + index + 1) % this.#items.length]',
    oracles: ['O1', 'O5', 'O6'],
  },
  {
    name: 'another-message-at-the-position',
    world: 'memory',
    file: MEMORY,
    text: 'const publication = newPublication(data, stream.top + 1, options, this.#clock.now());',
    replacement: 'const publication = newPublication(data, stream.top + 2, options, this.#clock.now());',
    oracles: ['O1', 'O3'],
  },
  {
    name: 'window-outlives-its-time',
    world: 'memory',
    file: MEMORY,
    text: 'record.itemsExpireAt = now + streamOptions.ttlMs;',
    replacement: 'record.itemsExpireAt = now + 3 * streamOptions.ttlMs;',
    oracles: ['O5'],
  },
  {
    name: 'patch-against-another-base',
    world: 'memory',
    file: MEMORY,
    text: 'const previous = options.delta === true ? stream.base() : null;',
    replacement: 'const previous = options.delta === true ? stream.at(stream.top - 1) : null;',
    oracles: ['O3', 'O39'],
  },
  {
    name: 'key-not-remembered',
    world: 'memory',
    file: MEMORY,
    text: 'if (idempotencyKey !== undefined && !result.suppressed) {',
    replacement: 'if (idempotencyKey === null) {',
    oracles: ['O10'],
  },
  {
    name: 'version-taken-twice',
    world: 'memory',
    file: RECORD,
    text: 'version <= record.version',
    replacement: 'version < record.version',
    oracles: ['O10'],
  },
  {
    name: 'cache-recovers-nothing',
    world: 'memory',
    file: RECOVERY,
    text: 'if (newest === undefined) return atTop ? [] : null;',
    replacement: 'if (newest === undefined) return [];',
    oracles: ['O12'],
  },
  {
    name: 'cache-value-again',
    world: 'memory',
    file: RECOVERY,
    text: 'return atTop || latest === undefined ? [] : [latest];',
    replacement: 'return latest === undefined ? [] : [latest];',
    oracles: ['O1', 'O2'],
  },
  {
    name: 'expired-window-stays',
    world: 'memory',
    file: RECORD,
    text: 'if (this.itemsExpireAt <= now) this.stream?.clear();',
    replacement: '',
    oracles: ['O5'],
  },
  {
    name: 'window-larger-by-one',
    world: 'memory',
    file: STREAM,
    text: 'if (this.#items.length < size) {',
    replacement: 'if (this.#items.length <= size) {',
    oracles: ['O5', 'O3', 'O1'],
  },
  {
    name: 'restart-keeps-the-epoch',
    world: 'memory',
    file: 'packages/engine/src/stream/epoch.ts',
    text: 'EPOCH_ALPHABET[byte % EPOCH_ALPHABET.length]',
    replacement: 'EPOCH_ALPHABET[byte % 1]',
    oracles: ['O5', 'O9'],
  },
];
