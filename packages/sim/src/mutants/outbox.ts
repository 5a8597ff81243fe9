import type { Mutant } from './mutant.ts';

const PUSH_SINK = 'packages/server/src/notify/sinks/webpush/sink.ts';
const ATTEMPT = 'packages/postgres/src/worker/attempt.ts';

/** Bugs of the outbox and of the Web Push sink. */
export const OUTBOX_MUTANTS: readonly Mutant[] = [
  {
    name: 'outbox-goes-on',
    means: 'the outbox does not stop a channel at its first failure',
    world: 'outbox',
    file: ATTEMPT,
    text: 'stopChannelOnError: true',
    replacement: 'stopChannelOnError: false',
    oracles: ['O41', 'O42'],
  },
  {
    name: 'outbox-without-versions',
    means: 'rows of the outbox have no version',
    world: 'outbox',
    file: ATTEMPT,
    text: 'version: row.version,\n',
    replacement: 'version: 0,\n',
    oracles: ['O41'],
  },
  {
    name: 'outbox-takes-refusals-for-done',
    means: 'the outbox takes a refused row for published',
    world: 'outbox',
    file: ATTEMPT,
    text: 'else this.#result.refused(row, error);',
    replacement: 'else this.#result.published(row, false);',
    oracles: ['O41'],
  },
  {
    name: 'outbox-buries-the-uncertain',
    means: 'the outbox buries a row of which it is not known whether it was published',
    world: 'outbox',
    file: 'packages/postgres/src/worker/reactions.ts',
    text: "= { act: 'retry', isCertain: false };",
    replacement: "= { act: 'dead', isCertain: false };",
    oracles: ['O41'],
  },
  {
    name: 'outbox-ignores-its-lease',
    means: 'the outbox publishes after its lease has run out',
    world: 'outbox',
    file: 'packages/postgres/src/worker/claimer.ts',
    text: 'if (this.#parts.clock.monotonic() - batch.askedAt >= LEASE_MS) return undefined;',
    replacement: '',
    oracles: ['O44'],
  },
  {
    name: 'push-parks-the-gone',
    means: 'Web Push parks the message of a subscription that has ended',
    world: 'outbox',
    file: PUSH_SINK,
    text: 'if (GONE.has(status))',
    replacement: 'if (false)',
    oracles: ['O43'],
  },
  {
    name: 'push-parks-what-was-taken',
    means: 'Web Push parks a message that was taken',
    world: 'outbox',
    file: PUSH_SINK,
    text: 'new Set([200, 201, 202, 204])',
    replacement: 'new Set([200, 202, 204])',
    oracles: ['O43'],
  },
  {
    name: 'push-does-not-wait',
    means: 'Web Push does not wait as long as `Retry-After` asks',
    world: 'outbox',
    file: PUSH_SINK,
    text: '{ retryAfterMs: seconds * 1000 }',
    replacement: '{ retryAfterMs: 0 }',
    oracles: ['O43'],
  },
];
