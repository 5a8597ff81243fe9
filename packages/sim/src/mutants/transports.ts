import type { Mutant } from './mutant.ts';

/** Bugs of the transports whose commands come in requests of their own. */
export const TRANSPORT_MUTANTS: readonly Mutant[] = [
  {
    name: 'emulation-to-another-session',
    means: 'commands of the emulation endpoint go to another connection',
    world: 'memory',
    file: 'packages/engine/src/session/registry.ts',
    text: 'return this.#emulated.get(secret);',
    replacement: 'return this.#emulated.has(secret) ? [...this.#emulated.values()].at(-1) : undefined;',
    oracles: ['O29'],
  },
  {
    name: 'only-the-last-message-of-a-piece',
    means:
      'of the messages that leave together on HTTP streaming and server-sent events only the last is written',
    world: 'memory',
    file: 'packages/engine/src/transports/http/framing.ts',
    text: 'frame: messages => join(messages, wrapping, chunked),',
    replacement: 'frame: messages => join(messages.slice(-1), wrapping, chunked),',
    oracles: ['O1', 'O15', 'O29'],
  },
  {
    name: 'emulated-commands-are-dropped',
    means: 'commands of the emulation endpoint are answered and dropped',
    world: 'memory',
    file: 'packages/engine/src/emulation.ts',
    text: 'session.received(session.framing.codec.emulationFrame(data));',
    replacement: 'session.framing.codec.emulationFrame(data);',
    oracles: ['O29'],
  },
];
