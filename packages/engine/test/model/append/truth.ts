/** A message as its producer wrote it. */
export interface WrittenMessage {
  readonly id: string;
  /** The texts of its operations, in order; one that ends it has none. */
  readonly ops: string[];
  status: 'streaming' | 'complete' | 'cancelled' | 'failed';
  /** Who may append. */
  producer: string;
  /** Characters of the newest state. */
  shown: number;
}

/** What stands at one offset of a stream. */
export type Entry =
  | { readonly kind: 'ordinary'; readonly text: string }
  | {
      readonly kind: 'state';
      readonly message: WrittenMessage;
      readonly text: string;
      readonly final: boolean;
    };

/** What happened to one channel, kept apart from the engine: everything that readers see is compared with it. */
export class Truth {
  /** By epoch, entries from offset 1 on. */
  readonly #epochs = new Map<string, Entry[]>();
  readonly messages = new Map<string, WrittenMessage>();
  /** Messages that the store lost: states of them may still be on their way. */
  readonly gone = new Map<string, WrittenMessage>();
  open: WrittenMessage | null = null;

  entry(epoch: string, offset: number): Entry | undefined {
    return this.#epochs.get(epoch)?.[offset - 1];
  }

  /** Notes what stands at the next offset; says what is wrong with the number, or null. */
  add(epoch: string, offset: number, entry: Entry): string | null {
    const entries = this.#epochs.get(epoch) ?? [];
    this.#epochs.set(epoch, entries);
    if (offset !== entries.length + 1) return `offset ${offset} instead of ${entries.length + 1}`;
    entries.push(entry);
    return null;
  }

  /** Notes what stands at an offset, in any order and from any node; says what is wrong with it, or null. */
  note(epoch: string, offset: number, entry: Entry): string | null {
    const entries = this.#epochs.get(epoch) ?? [];
    this.#epochs.set(epoch, entries);
    const known = entries[offset - 1];
    entries[offset - 1] ??= entry;
    return known === undefined || known.text === entry.text ? null : `two publications at ${offset}`;
  }

  top(epoch: string): number {
    return this.#epochs.get(epoch)?.length ?? 0;
  }

  /** What a reader that went from one position to another must have got: all but states that a later one replaces. */
  missing(epoch: string, after: number, before: number): number | null {
    for (let offset = after + 1; offset < before; offset++) {
      const entry = this.entry(epoch, offset);
      if (entry === undefined || entry.kind === 'ordinary' || entry.final) return offset;
    }
    return null;
  }
}

export function textOf(message: WrittenMessage): string {
  return message.ops.join('');
}
