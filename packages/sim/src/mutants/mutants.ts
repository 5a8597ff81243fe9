/** A planted bug: a text of a source that is replaced when it is loaded. */
export interface Mutant {
  readonly name: string;
  /** The class of worlds that finds it. */
  readonly world: 'memory' | 'outbox';
  /** From the root of the repository. */
  readonly file: string;
  /** Occurs once in the file; otherwise the mutant is stale. */
  readonly text: string;
  readonly replacement: string;
  /** The oracles of which one must find it. */
  readonly oracles: readonly string[];
}

const RECOVERY = 'packages/engine/src/stream/recovery.ts';
const STREAM = 'packages/engine/src/stream/stream.ts';
const SUBSCRIPTION = 'packages/engine/src/session/subscription.ts';
const POSITION_CHECK = 'packages/engine/src/delivery/position-check.ts';
const PUSH_SINK = 'packages/server/src/notify/sinks/webpush/sink.ts';
const ATTEMPT = 'packages/postgres/src/worker/attempt.ts';

/** Every planted bug. */
export const MUTANTS: readonly Mutant[] = [
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
    name: 'goes-live-too-early',
    world: 'memory',
    file: SUBSCRIPTION,
    text: 'this.offset = position.offset;',
    replacement: 'this.offset = position.offset + 1;',
    oracles: ['O1', 'O29'],
  },
  {
    name: 'gap-passed-on',
    world: 'memory',
    file: SUBSCRIPTION,
    text: 'if (epoch !== this.epoch || offset > this.offset + 1) {',
    replacement: 'if (epoch !== this.epoch) {',
    oracles: ['O1'],
  },
  {
    name: 'late-offset-again',
    world: 'memory',
    file: SUBSCRIPTION,
    text: 'if (offset <= this.offset) {',
    replacement: 'if (false) {',
    oracles: ['O1', 'O2'],
  },
  {
    name: 'nothing-buffered',
    world: 'memory',
    file: SUBSCRIPTION,
    text: 'if (buffer === null || this.ended) return;',
    replacement: 'if (buffer !== undefined) return;',
    oracles: ['O11'],
  },
  {
    name: 'buffered-again-behind-the-reply',
    world: 'memory',
    file: SUBSCRIPTION,
    text: 'for (const encoded of buffered.slice(this.#firstAfterReply(buffered))) this.deliver(encoded);',
    replacement: 'for (const encoded of buffered) this.push(encoded);',
    oracles: ['O1', 'O2'],
  },
  {
    name: 'history-before-the-subscribe',
    world: 'memory',
    file: 'packages/engine/src/session/subscribe.ts',
    text: 'await subscription.session.context.hub.add(subscription).catch(brokerFailed);',
    replacement: 'void subscription.session.context.hub.add(subscription).catch(brokerFailed);',
    oracles: ['O11', 'O29'],
  },
  {
    name: 'positions-checked-once',
    world: 'memory',
    file: POSITION_CHECK,
    text: 'await this.#pause();\n',
    replacement: '\n',
    oracles: ['O11'],
  },
  {
    name: 'timers-on-the-wall-clock',
    world: 'memory',
    file: 'packages/foundation/src/clock/clock.ts',
    text: 'monotonic: () => performance.now(),',
    replacement: 'monotonic: () => Date.now(),',
    oracles: ['O5', 'O6', 'O29'],
  },
  {
    name: 'another-message-at-the-position',
    world: 'memory',
    file: 'packages/engine/src/broker/memory.ts',
    text: 'const publication = newPublication(data, stream.top + 1, options, this.#clock.now());',
    replacement: 'const publication = newPublication(data, stream.top + 2, options, this.#clock.now());',
    oracles: ['O1', 'O3'],
  },
  {
    name: 'window-outlives-its-time',
    world: 'memory',
    file: 'packages/engine/src/broker/memory.ts',
    text: 'record.itemsExpireAt = now + streamOptions.ttlMs;',
    replacement: 'record.itemsExpireAt = now + 3 * streamOptions.ttlMs;',
    oracles: ['O5'],
  },
  {
    name: 'outbox-goes-on',
    world: 'outbox',
    file: ATTEMPT,
    text: 'stopChannelOnError: true',
    replacement: 'stopChannelOnError: false',
    oracles: ['O41', 'O42'],
  },
  {
    name: 'outbox-without-versions',
    world: 'outbox',
    file: ATTEMPT,
    text: 'version: row.version,\n',
    replacement: 'version: 0,\n',
    oracles: ['O41'],
  },
  {
    name: 'outbox-takes-refusals-for-done',
    world: 'outbox',
    file: ATTEMPT,
    text: 'else this.#result.refused(row, error);',
    replacement: 'else this.#result.published(row, false);',
    oracles: ['O41'],
  },
  {
    name: 'outbox-buries-the-uncertain',
    world: 'outbox',
    file: 'packages/postgres/src/worker/reactions.ts',
    text: "= { act: 'retry', isCertain: false };",
    replacement: "= { act: 'dead', isCertain: false };",
    oracles: ['O41'],
  },
  {
    name: 'outbox-ignores-its-lease',
    world: 'outbox',
    file: 'packages/postgres/src/worker/claimer.ts',
    text: 'if (this.#parts.clock.monotonic() - batch.askedAt >= LEASE_MS) return undefined;',
    replacement: '',
    oracles: ['O44'],
  },
  {
    name: 'push-parks-the-gone',
    world: 'outbox',
    file: PUSH_SINK,
    text: 'if (GONE.has(status))',
    replacement: 'if (false)',
    oracles: ['O43'],
  },
  {
    name: 'push-parks-what-was-taken',
    world: 'outbox',
    file: PUSH_SINK,
    text: 'new Set([200, 201, 202, 204])',
    replacement: 'new Set([200, 202, 204])',
    oracles: ['O43'],
  },
  {
    name: 'push-does-not-wait',
    world: 'outbox',
    file: PUSH_SINK,
    text: '{ retryAfterMs: seconds * 1000 }',
    replacement: '{ retryAfterMs: 0 }',
    oracles: ['O43'],
  },
];
