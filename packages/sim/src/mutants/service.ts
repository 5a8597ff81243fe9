import type { Mutant } from './mutant.ts';

const SWEEP = 'packages/server/src/channels/registry/redis/sweep.lua';
/** What the bugs do not need is small. */
const CALM = { store: 'standalone', stormMs: 60_000, clients: 2, channels: 1, publishing: 'sparse' } as const;

/** Bugs of sessions, keys, rate limits and channels, between several nodes and their Redis. */
export const SERVICE_MUTANTS: readonly Mutant[] = [
  {
    name: 'redeemed-by-get-then-set',
    means: 'a refresh token is redeemed by a read, and then a write',
    world: 'standard',
    switches: { ...CALM, sessions: true },
    file: 'packages/server/src/auth/tokens/refresh/redis/store.ts',
    text: "this.#store.call('SET', key, '1', 'PX', leftMs, 'NX')",
    replacement:
      "this.#store.call('GET', key).then(known => known === null && this.#store.call('SET', key, '1', 'PX', leftMs))",
    oracles: ['O19'],
  },
  {
    name: 'reuse-ends-nothing',
    means: 'a refresh token that is used again does not end its family',
    world: 'standard',
    switches: { ...CALM, sessions: true },
    file: 'packages/server/src/auth/tokens/refresh/rotation.ts',
    text: 'await this.#options.store.revokeFamily(fid, this.#options.clock.now() + FAMILY_REVOCATION_MS);',
    replacement: '',
    oracles: ['O19'],
  },
  {
    name: 'refused-calls-count',
    means: 'a rate limit counts what it refuses (`take.lua`)',
    world: 'standard',
    switches: { ...CALM, limited: true },
    file: 'packages/server/src/rate-limits/redis/take.lua',
    text: 'for number = 1, accepted do',
    replacement: 'for number = 1, count do',
    oracles: ['O27'],
  },
  {
    name: 'equal-calls-count-once',
    means: 'calls of one rate limit have equal names and count once (`take.lua`)',
    world: 'standard',
    switches: { ...CALM, limited: true },
    file: 'packages/server/src/rate-limits/redis/take.lua',
    text: "ARGV[2] .. ':' .. number",
    replacement: "'call:' .. number",
    oracles: ['O27'],
  },
  {
    name: 'keyring-saved-unseen',
    means: 'the keyring is saved over a change of another node (`save.lua`)',
    world: 'standard',
    switches: { ...CALM, signingKeys: true },
    file: 'packages/server/src/auth/keys/store/redis/save.lua',
    text: 'if seen ~= ARGV[2] then\n  return false\nend',
    replacement: '',
    oracles: ['O20'],
  },
  {
    name: 'swept-again',
    means: 'a sweep closes, and announces, what is closed (`sweep.lua`)',
    world: 'standard',
    switches: { ...CALM, stormMs: 180_000, idleChannels: true },
    file: SWEEP,
    text: "record.state == 'open' then",
    replacement: "record.state ~= 'deleted' then",
    oracles: ['O21'],
  },
  {
    name: 'sweep-overlooks-activity',
    means: 'a sweep closes a channel in which something happened since it was opened (`sweep.lua`)',
    world: 'standard',
    switches: { ...CALM, stormMs: 180_000, idleChannels: true },
    file: SWEEP,
    text: 'local active = milliseconds(record.last_active)',
    replacement: 'local active = milliseconds(record.created_at)',
    oracles: ['O21'],
  },
  {
    name: 'late-call-forgets-permits',
    means: 'a call that was long under way empties the log of a rate limit (`take.lua`)',
    world: 'standard',
    switches: { ...CALM, limited: true, faultEveryMs: 3000, 'partition between a node and the store': true },
    file: 'packages/server/src/rate-limits/redis/take.lua',
    text: 'latest + tonumber(ARGV[3])',
    replacement: 'now + tonumber(ARGV[3])',
    oracles: ['O27'],
  },
];
