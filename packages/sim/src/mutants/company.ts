import type { Mutant } from './mutant.ts';

const ENTRY = 'packages/engine/src/session/presence-entry.ts';

/** Bugs in what subscribers learn of each other. */
export const COMPANY_MUTANTS: readonly Mutant[] = [
  {
    name: 'presence-outlives-its-connection',
    means: 'the entry of presence is removed without waiting for what adds it',
    world: 'memory',
    file: ENTRY,
    text: 'if (this.#entered) this.#inBackground(() => presence.remove(this.#channel, this.#info.client));',
    replacement: 'if (this.#entered) void presence.remove(this.#channel, this.#info.client);',
    oracles: ['O23'],
    isSlow: true,
  },
  {
    name: 'presence-entry-stays',
    means: 'the entry of presence is not removed',
    world: 'memory',
    file: ENTRY,
    text: 'if (this.#entered) this.#inBackground(() => presence.remove(this.#channel, this.#info.client));',
    replacement: '',
    oracles: ['O23'],
  },
  {
    name: 'leave-is-not-told',
    means: 'a leave is not told',
    world: 'memory',
    file: ENTRY,
    text: 'if (this.#joined) this.#inBackground(() => broker.publishLeave(this.#channel, this.#info));',
    replacement: '',
    oracles: ['O24'],
  },
];
