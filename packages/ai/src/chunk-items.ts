import type { Written } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { UIMessageChunk } from 'ai';

/** Chunks that grow, with the member that does. */
const GROWING: Readonly<Record<string, string>> = {
  'text-delta': 'delta',
  'reasoning-delta': 'delta',
  'tool-input-delta': 'inputTextDelta',
};

/** Turns the chunks of one answer into what its message holds: one item per chunk, neighbouring deltas as one. */
export class ChunkItems {
  readonly #message: string;
  /** Chunks so far. */
  #count = 0;
  /** The members of the newest delta, apart from its text; null: the newest chunk does not grow. */
  #open: Readonly<Record<string, unknown>> | null = null;

  constructor(message: string) {
    this.#message = message;
  }

  /** A client that goes on with the answer finds it by the message id of its first chunk, `start`. */
  written(chunk: UIMessageChunk): readonly Written[] {
    const isFirst = this.#count++ === 0;
    if (chunk.type === 'start') return this.#item({ ...chunk, messageId: chunk.messageId ?? this.#message });
    const start = isFirst ? this.#item({ type: 'start', messageId: this.#message }) : [];
    return [...start, ...this.#growing(chunk)];
  }

  #growing(chunk: UIMessageChunk): readonly Written[] {
    const member = GROWING[chunk.type];
    if (member === undefined) return this.#item(chunk);
    const { [member]: text, ...head } = chunk as Readonly<Record<string, unknown>>;
    if (this.#open !== null && continues(this.#open, head)) return [String(text)];
    this.#open = head;
    return [{ item: head, open: member }, String(text)];
  }

  #item(item: object): readonly Written[] {
    this.#open = null;
    return [{ item }];
  }
}

/** A delta of the same part, with nothing that the open one does not say. */
function continues(
  open: Readonly<Record<string, unknown>>,
  head: Readonly<Record<string, unknown>>,
): boolean {
  return Object.keys(head).every(
    member => head[member] === undefined || JSON.stringify(head[member]) === JSON.stringify(open[member]),
  );
}

/** The chunk that an item holds; null: it holds something else. */
export function chunkOf(item: unknown): UIMessageChunk | null {
  if (!isRecord(item) || typeof item['type'] !== 'string') return null;
  return item as UIMessageChunk; // the framework's own reader checks what it uses
}

/** A data part that is for those who listen when it is said. */
export const isTransient = (chunk: UIMessageChunk): boolean =>
  chunk.type.startsWith('data-') && 'transient' in chunk && chunk.transient === true;
