import type { Mutant } from './mutant.ts';

const BROKER = 'packages/engine/src/broker/redis';
const PUBLISH = `${BROKER}/publish.lua`;
const CLIENTS = 'packages/redis/src/clients.ts';
const SUBSCRIPTIONS = 'packages/redis/src/subscriptions.ts';
/** Many faults in a short time. */
const STORM = { store: 'standalone', stormMs: 60_000, faultEveryMs: 3000 } as const;
const SMALL = { ...STORM, clients: 2, channels: 1 } as const;
/** Publishers repeat what has no answer in time. */
const REPEATING = { ...SMALL, publishers: 4, keys: true, publishing: 'mixed', 'slow store': true } as const;
/** No fault opens a connection anew that has fallen silent. */
const NOTHING_BUT_SILENCE = {
  store: 'standalone',
  stormMs: 60_000,
  clients: 4,
  channels: 1,
  publishers: 1,
  faultEveryMs: 20_000,
  'silence between a node and the store': true,
  'cut between a node and the store': false,
  'connections ended by an operator': false,
  'kill of a node': false,
  'rolling restart': false,
  'kill of the store': false,
} as const;

/** Bugs of streams and of PUB/SUB between several nodes and their Redis, of which some are in scripts. */
export const STANDARD_MUTANTS: readonly Mutant[] = [
  {
    name: 'foreign-epoch-adopted',
    means: 'a publication of another epoch continues a subscription',
    world: 'standard',
    switches: {
      ...STORM,
      clients: 4,
      channels: 1,
      publishers: 2,
      recovery: 'stream',
      'flush of the store': true,
    },
    file: 'packages/engine/src/session/subscription.ts',
    text: 'if (epoch !== this.epoch || offset > this.offset + 1) {',
    replacement:
      'if (epoch !== this.epoch) [this.epoch, this.offset] = [epoch, offset - 1];\nif (offset > this.offset + 1) {',
    oracles: ['O1'],
  },
  {
    name: 'own-publish-at-once',
    means: 'a node delivers what it publishes itself, beside PUB/SUB',
    world: 'standard',
    switches: { ...SMALL, recovery: 'stream' },
    file: `${BROKER}/broker.ts`,
    text: 'return this.#streams.append(channel, record, stream, options);',
    replacement: `return this.#streams.append(channel, record, stream, options).then(result => {
        const position = { offset: result.offset, epoch: result.epoch };
        const delivered = { ...publication, offset: result.offset };
        if (!result.suppressed) this.#events?.publication(channel, delivered, position, false, null, false);
        return result;
      });`,
    oracles: ['O2', 'O11', 'O15'],
  },
  {
    name: 'joins-an-earlier-read',
    means: 'a read of the position takes the answer of one that began earlier',
    world: 'standard',
    switches: { ...STORM, 'slow store': true, churn: true, clients: 16, channels: 1, nodes: 1 },
    file: `${BROKER}/single-flight.ts`,
    text: 'flight.next ??= flight.running.then(again, again);\n    return flight.next;',
    replacement: 'void again;\n    return flight.running;',
    oracles: ['O5', 'O11', 'O29'],
  },
  {
    name: 'result-before-the-publish',
    means: 'the result of a publish is remembered as it was before it (`publish.lua`)',
    world: 'standard',
    switches: REPEATING,
    file: PUBLISH,
    text: "redis.call('HSET', result, 'e', epoch, 's', top)",
    replacement: "redis.call('HSET', result, 'e', epoch, 's', top - 1)",
    oracles: ['O9'],
  },
  {
    name: 'result-not-stored',
    means: 'the result of a publish is not remembered under its key (`publish.lua`)',
    world: 'standard',
    switches: REPEATING,
    file: PUBLISH,
    text: "redis.call('HSET', result, 'e', epoch, 's', top)",
    replacement: '',
    oracles: ['O10'],
  },
  {
    name: 'window-larger-than-asked',
    means: 'the window keeps one publication too many (`publish.lua`)',
    world: 'standard',
    switches: {
      ...STORM,
      clients: 8,
      recovery: 'stream',
      historySize: 1,
      historyTtlMs: 300_000,
      publishing: 'sparse',
    },
    file: PUBLISH,
    text: "redis.call('XADD', stream, 'MAXLEN', size, top, 'd', record)",
    replacement: "redis.call('XADD', stream, 'MAXLEN', size + 1, top, 'd', record)",
    oracles: ['O5'],
  },
  {
    name: 'position-dies-with-the-window',
    means: 'the position of a stream is forgotten together with its window (`publish.lua`)',
    world: 'standard',
    switches: { ...SMALL, recovery: 'stream', historyTtlMs: 5000, publishing: 'sparse' },
    file: PUBLISH,
    text: "redis.call('PEXPIRE', meta, meta_ttl)",
    replacement: "redis.call('PEXPIRE', meta, ttl)",
    oracles: ['O45'],
  },
  {
    name: 'patch-against-the-oldest',
    means: 'a patch is made against the oldest publication that is kept (`publish.lua`)',
    world: 'standard',
    switches: { store: 'standalone', delta: true, payloads: 'similar', historySize: 100 },
    file: PUBLISH,
    text: "redis.call('XREVRANGE', stream, '+', '-', 'COUNT', 1)[1]",
    replacement: "redis.call('XRANGE', stream, '-', '+', 'COUNT', 1)[1]",
    oracles: ['O3', 'O39'],
  },
  {
    name: 'announced-an-offset-early',
    means: 'a publication is announced with the offset before its own (`publish.lua`)',
    world: 'standard',
    switches: { ...SMALL, publishers: 1, recovery: 'stream', delta: false, historySize: 100 },
    file: PUBLISH,
    text: "envelope = '__p1:' .. top .. ':' .. epoch .. '__' .. record",
    replacement: "envelope = '__p1:' .. (top - 1) .. ':' .. epoch .. '__' .. record",
    oracles: ['O1', 'O3', 'O11'],
  },
  {
    name: 'commands-sent-again',
    means: 'a command that lost its answer is sent again',
    world: 'standard',
    switches: {
      ...SMALL,
      publishers: 4,
      keys: false,
      publishing: 'mixed',
      'cut between a node and the store': true,
      'connections ended by an operator': true,
    },
    file: CLIENTS,
    text: 'maxRetriesPerRequest: 0,\n    autoResendUnfulfilledCommands: false,',
    replacement: 'maxRetriesPerRequest: null,\n    autoResendUnfulfilledCommands: true,',
    oracles: ['O10'],
  },
  {
    name: 'forgotten-script-runs-twice',
    means: 'a script that the server has forgotten runs twice',
    world: 'standard',
    switches: { ...SMALL, publishers: 1, keys: false, publishing: 'dense', 'scripts flushed': true },
    file: 'packages/redis/src/store.ts',
    text: "return this.call('EVAL', script.source, keys.length, ...keys, ...args);",
    replacement:
      "const again = () => this.call('EVAL', script.source, keys.length, ...keys, ...args);\nreturn again().then(again);",
    oracles: ['O10'],
  },
  {
    name: 'silence-is-not-probed',
    means: 'a PUB/SUB connection that has fallen silent is kept',
    world: 'standard',
    switches: NOTHING_BUT_SILENCE,
    file: SUBSCRIPTIONS,
    text: 'if (!this.#answered && this.#probing) return client.disconnect();',
    replacement: '',
    oracles: ['O29'],
  },
  {
    name: 'outage-subscribes-nothing',
    means: 'a channel that is subscribed during an outage is missing in the resubscribe',
    world: 'standard',
    switches: {
      ...STORM,
      clients: 4,
      channels: 2,
      recovery: 'off',
      churn: true,
      silentPercent: 0,
      'kill of the store': true,
      'connections ended by an operator': true,
    },
    file: SUBSCRIPTIONS,
    text: "if (!this.#up) throw new Error('the store is not connected');\n    this.#unsubscribing",
    replacement: 'if (!this.#up) return;\n    this.#unsubscribing',
    oracles: ['O11', 'O29'],
    isSlow: true,
  },
  {
    name: 'nothing-subscribed-again',
    means: 'a new PUB/SUB connection has no channels',
    world: 'standard',
    switches: { ...STORM, clients: 4, channels: 1, recovery: 'off', silentPercent: 0 },
    file: SUBSCRIPTIONS,
    text: '[this.#options.probeChannel, ...this.#channels]',
    replacement: '[this.#options.probeChannel]',
    oracles: ['O11', 'O29'],
  },
  {
    name: 'late-unsubscribe',
    means: 'a delayed unsubscribe overtakes a new subscribe',
    world: 'standard',
    switches: {
      ...SMALL,
      nodes: 1,
      channels: 4,
      recovery: 'off',
      churn: true,
      faultEveryMs: 20_000,
      silentPercent: 0,
    },
    file: SUBSCRIPTIONS,
    text: 'this.#unsubscribing.delete(channel);',
    replacement: '',
    oracles: ['O11', 'O29'],
  },
  {
    name: 'acknowledges-without-the-store',
    means: 'a publish is acknowledged although the store did not answer',
    world: 'standard',
    switches: SMALL,
    file: `${BROKER}/broker.ts`,
    text: 'return this.#streams.append(channel, record, stream, options);',
    replacement:
      "return this.#streams.append(channel, record, stream, options).catch(() => ({ offset: 1, epoch: 'none', suppressed: false }));",
    oracles: ['O9'],
  },
];
