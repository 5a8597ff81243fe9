/** Words of a text as they can stand in a call: ids, fields, names of types, words of a title. */
const WORD = /[\p{L}\p{N}_$-]+/gu;

/** The words that a model has seen, or made up as new ids. */
export class KnownWords {
  readonly #words = new Set<string>();

  /** Adds every word of a value: of an answer, of the words of a task, of what tools/list says. */
  learn(value: unknown): void {
    for (const word of wordsOf(value)) this.#words.add(word);
  }

  /** The words of a call, numbers among them, that stand in nothing that was seen before. */
  unknownIn(call: unknown): string[] {
    return [...new Set(wordsOf(call))].filter(word => !this.#words.has(word));
  }
}

function* wordsOf(value: unknown): Generator<string> {
  if (typeof value === 'number') yield String(value);
  else if (typeof value === 'string') {
    for (const [word] of value.matchAll(WORD)) yield word;
  } else if (Array.isArray(value)) {
    for (const item of value) yield* wordsOf(item);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      yield* wordsOf(name);
      yield* wordsOf(member);
    }
  }
}
