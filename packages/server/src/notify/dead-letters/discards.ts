import { MsgError } from '@msg/core';
import type { Clock } from '@msg/foundation/clock';
import type { DeadLetterQueue } from './contract.ts';
import { jobLetters } from './pages.ts';

/** Letters that one turn removes. */
const SLICE = 100;
/** The store counts by its own clock: a letter is removed this much after the end of its time. */
const LATER_MS = 1000;

export interface DiscardsParts {
  readonly queue: DeadLetterQueue;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}

/** Which letters: some by their ids, or a group of a sink. */
export type DiscardSelection =
  | { readonly ids: readonly string[] }
  | { readonly sink: string; readonly group: string };

/** Discards of many letters, and their undoing. Source: console, section 7.7. */
export class Discards {
  readonly #parts: DiscardsParts;

  constructor(parts: DiscardsParts) {
    this.#parts = parts;
  }

  /**
   * Removes letters: at once, or hidden at once and removed after `undoMs`. @returns the ids of those that were there
   * @throws MsgError MSG_INVALID_ARGUMENT for a queue that cannot undo
   */
  async discard(selection: DiscardSelection, undoMs: number): Promise<readonly string[]> {
    const { queue, clock, onError } = this.#parts;
    const ids = await this.#select(selection);
    if (undoMs === 0) return this.#remove(ids);
    if (queue.hide === undefined)
      throw new MsgError(
        'MSG_INVALID_ARGUMENT',
        'the dead-letter queue of this service cannot undo: undo_seconds must be 0',
      );
    const hidden = await queue.hide(ids, undoMs);
    // Who counts letters removes those whose time is over: here, or after the death of this node any other.
    clock.setTimeout(() => void queue.sizes().catch(onError), undoMs + LATER_MS);
    return hidden;
  }

  /** Brings back what was discarded, as long as there is time. @returns how many letters */
  async restore(ids: readonly string[]): Promise<number> {
    return (await this.#parts.queue.restore?.(ids)) ?? 0;
  }

  async #select(selection: DiscardSelection): Promise<readonly string[]> {
    if ('ids' in selection) return [...new Set(selection.ids)];
    const { sink, group } = selection;
    const { queue, clock } = this.#parts;
    const letters = await jobLetters(queue, clock, sink, letter => letter.group === group);
    return letters.map(({ id }) => id);
  }

  async #remove(ids: readonly string[]): Promise<readonly string[]> {
    const removed: string[] = [];
    for (let begin = 0; begin < ids.length; begin += SLICE) {
      const some = ids.slice(begin, begin + SLICE);
      const were = await Promise.all(some.map(id => this.#parts.queue.discard(id)));
      removed.push(...some.filter((_, index) => were[index]));
    }
    return removed;
  }
}
