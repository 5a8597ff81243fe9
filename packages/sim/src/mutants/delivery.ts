import type { Mutant } from './mutant.ts';

const SUBSCRIPTION = 'packages/engine/src/session/subscription.ts';
const POSITION_CHECK = 'packages/engine/src/delivery/position-check.ts';
const SUBSCRIBE = 'packages/engine/src/session/subscribe.ts';

/** Bugs between a stream and its subscribers. */
export const DELIVERY_MUTANTS: readonly Mutant[] = [
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
    file: SUBSCRIBE,
    text: 'await subscription.session.context.hub.add(subscription).catch(brokerFailed);',
    replacement: 'void subscription.session.context.hub.add(subscription).catch(brokerFailed);',
    oracles: ['O11', 'O29'],
  },
  {
    name: 'position-check-off',
    world: 'memory',
    file: POSITION_CHECK,
    text: 'if (clock.monotonic() - channel.verifiedAt >= limits.positionCheckMs) this.#checkNow(channel);',
    replacement: '',
    oracles: ['O29'],
  },
  {
    name: 'positions-checked-once-only',
    world: 'memory',
    file: POSITION_CHECK,
    text: 'channel.checking = false;',
    replacement: '',
    oracles: ['O29'],
  },
  {
    name: 'a-check-forgives-everything',
    world: 'memory',
    file: POSITION_CHECK,
    text: 'return earlier.offset <= offset && offset < top.offset;',
    replacement: 'return offset < top.offset;',
    oracles: ['O29'],
  },
];
