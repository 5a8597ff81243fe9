import type { PlantedText } from './mutant.ts';

const REDIS = 'packages/sim/src/redis';

/** Bugs planted in the simulated Redis, which the comparison with a real server finds. */
export const REDIS_MUTANTS: readonly PlantedText[] = [
  {
    name: 'xrange-without-last',
    file: `${REDIS}/commands/streams.ts`,
    text: 'stream.placeOf(end + 1n)',
    replacement: 'stream.placeOf(end)',
  },
  {
    name: 'nx-ignored-with-px',
    file: `${REDIS}/commands/strings.ts`,
    text: "options.only === 'NX' && exists",
    replacement: "options.only === 'NX' && exists && expiry === undefined",
  },
  {
    name: 'keepttl-forgets',
    file: `${REDIS}/commands/strings.ts`,
    text: 'options.keepTtl ? keys.expiryOf(key) : atMs',
    replacement: 'atMs',
  },
  {
    name: 'expires-a-millisecond-early',
    file: `${REDIS}/keyspace.ts`,
    text: 'this.#now() <= entry.expiresAtMs',
    replacement: 'this.#now() < entry.expiresAtMs',
  },
  {
    name: 'expiry-lost-with-a-new-text',
    file: `${REDIS}/keyspace.ts`,
    text: "this.set(key, { type: 'string', content }, this.expiryOf(key))",
    replacement: "this.set(key, { type: 'string', content })",
  },
  {
    name: 'doubles-rounded-away-from-zero',
    file: `${REDIS}/numbers.ts`,
    text: 'Number(digits[at - 1]) % 2 === 1',
    replacement: "digits !== ''",
  },
  {
    name: 'equal-scores-in-reverse',
    file: `${REDIS}/sorted-set.ts`,
    text: 'otherMember < member',
    replacement: 'otherMember > member',
  },
  {
    name: 'exclusive-bound-included',
    file: `${REDIS}/commands/score-range.ts`,
    text: 'least.exclusive ? score > least.score : score >= least.score',
    replacement: 'score >= least.score',
  },
  {
    name: 'hincrby-past-the-border',
    file: `${REDIS}/commands/hashes.ts`,
    text: 'if (!fitsInt64(after)) fail(ERRORS.overflow);',
    replacement: '',
  },
  {
    name: 'maxlen-keeps-one-more',
    file: `${REDIS}/commands/stream-add.ts`,
    text: 'stream.entries.splice(0, stream.entries.length - limit)',
    replacement: 'stream.entries.splice(0, stream.entries.length - limit - 1)',
  },
  {
    name: 'exec-after-a-refused-command',
    file: `${REDIS}/commands/transactions.ts`,
    text: 'if (isSpoiled)',
    replacement: 'if (isSpoiled && queued.length === 0)',
  },
  {
    name: 'sharded-messages-to-all',
    file: `${REDIS}/commands/pubsub.ts`,
    text: "table: 'shardChannels'",
    replacement: "table: 'channels'",
  },
  {
    name: 'null-array-as-null',
    file: `${REDIS}/resp.ts`,
    text: "protocol === 3 ? '_\\r\\n' : '*-1\\r\\n'",
    replacement: "protocol === 3 ? '_\\r\\n' : '$-1\\r\\n'",
  },
  {
    name: 'greater-expiry-also-when-equal',
    file: `${REDIS}/commands/keys.ts`,
    text: 'atMs <= present',
    replacement: 'atMs < present',
  },
  {
    name: 'killed-client-still-gets-messages',
    file: `${REDIS}/state.ts`,
    text: 'client.drop();',
    replacement: '',
  },
  {
    name: 'numbers-of-scripts-in-full',
    file: `${REDIS}/lua/numbers.ts`,
    text: 'shortText(number, 14, 1e14)',
    replacement: 'shortText(number, 17, 2 ** 53)',
  },
  {
    name: 'digest-of-a-forgotten-script',
    file: `${REDIS}/commands/scripts.ts`,
    text: 'state.scripts.clear();',
    replacement: '',
  },
];
