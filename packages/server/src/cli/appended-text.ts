import { isRecord } from '@msg/foundation/json';

/** Prints what is new in the messages of append streams. */
export class AppendedText {
  readonly #out: (text: string) => void;
  readonly #err: (text: string) => void;
  /** Of each message: characters of its text, or items, that were printed. */
  readonly #printed = new Map<string, number>();

  constructor({ out, err }: { out(text: string): void; err(text: string): void }) {
    this.#out = out;
    this.#err = err;
  }

  /** A publication of the channel; what is not a document of an append stream is left out. */
  read(data: unknown): void {
    if (!isRecord(data)) return;
    const { id, status, text, items } = data;
    if (typeof id !== 'string' || typeof status !== 'string') return;
    const isOver = status !== 'streaming';
    if (typeof text === 'string') this.#print(id, text.length, from => text.slice(from));
    // The last item may still grow.
    else if (Array.isArray(items))
      this.#print(id, isOver ? items.length : items.length - 1, (from, to) =>
        items
          .slice(from, to)
          .map(item => `${JSON.stringify(item)}\n`)
          .join(''),
      );
    else return;
    if (!isOver) return;
    this.#printed.delete(id);
    this.#out('\n');
    this.#err(`-- ${id} ${status}\n`);
  }

  #print(id: string, length: number, show: (from: number, to: number) => string): void {
    const printed = this.#printed.get(id) ?? 0;
    // A text that is shorter than before lost writes, and grows again.
    if (length <= printed) return;
    this.#printed.set(id, length);
    this.#out(show(printed, length));
  }
}
