import type { NamedField } from './field.ts';

const ASCII = 128;
const NOWHERE = 0;

/** The state before the first character of a name. */
export const TRIE_ROOT = 1;

/** Finds a field by its JSON name while the name is read: one table step per character, without hashing or comparing. */
export class KeyTrie {
  /** State after `character` in `state`, at `state × 128 + character`; 0 when no name continues with it. */
  readonly steps: Uint8Array;
  /** The field whose name ends in a state. */
  readonly fields: readonly (NamedField | undefined)[];

  constructor(fields: readonly NamedField[]) {
    const states = 2 + fields.reduce((sum, field) => sum + field.key.length, 0);
    if (states > 256) throw new RangeError('too many names for one-byte states');
    const steps = new Uint8Array(states * ASCII);
    const ends: (NamedField | undefined)[] = Array.from({ length: states }, () => undefined);
    let used = TRIE_ROOT;
    for (const field of fields) {
      let state = TRIE_ROOT;
      for (const character of field.key) {
        const step = state * ASCII + character;
        if (steps[step] === NOWHERE) steps[step] = ++used;
        state = steps[step]!;
      }
      ends[state] = field;
    }
    this.steps = steps;
    this.fields = ends;
  }

  /** The field of this name. */
  find(key: Uint8Array): NamedField | undefined {
    let state = TRIE_ROOT;
    for (const byte of key) {
      state = byte < ASCII ? this.steps[state * ASCII + byte]! : NOWHERE;
      if (state === NOWHERE) return undefined;
    }
    return this.fields[state];
  }
}
