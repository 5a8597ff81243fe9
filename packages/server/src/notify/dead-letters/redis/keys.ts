import type { SharedStore } from '../../../stores/redis/shared-store.ts';

/** The keys of dead letters in the store. Source: messaging details, section 18; console, section 7.7. */
export class LetterKeys {
  readonly #store: Pick<SharedStore, 'key'>;

  constructor(store: Pick<SharedStore, 'key'>) {
    this.#store = store;
  }

  /** Names of the sinks that have letters. */
  get sinks(): string {
    return this.#store.key('dlqsinks');
  }

  stream(sink: string): string {
    return this.#store.key(`dlq:${sink}`);
  }

  /** What changed letters beside the stream. */
  states(sink: string): string {
    return this.#store.key(`dlqstate:${sink}`);
  }

  /** Letters that were discarded and may come back. */
  hidden(sink: string): string {
    return this.#store.key(`dlqhidden:${sink}`);
  }

  claim(id: string): string {
    return this.#store.key(`dlqclaim:${id}`);
  }

  ofSink(sink: string): string[] {
    return [this.stream(sink), this.states(sink), this.hidden(sink)];
  }

  ofLetter(sink: string, id: string): string[] {
    return [this.stream(sink), this.states(sink), this.claim(id), this.hidden(sink)];
  }
}
