import { MemoryPresence } from '@msg/engine';
import type { Actor } from '../../kernel/actor.ts';
import type { Stream } from '../../kernel/stream.ts';

/** Presence behind a road: every call waits for its way there and back. */
export class RemotePresence extends MemoryPresence {
  readonly #draw: Stream;
  readonly #mostMs: number;

  /** @param mostMs the longest way there or back */
  constructor(actor: Actor, mostMs: number) {
    super();
    this.#draw = actor.stream('road of presence');
    this.#mostMs = mostMs;
  }

  override async add(...args: Parameters<MemoryPresence['add']>): Promise<void> {
    await this.#travel();
    await super.add(...args);
    await this.#travel();
  }

  override async remove(...args: Parameters<MemoryPresence['remove']>): Promise<void> {
    await this.#travel();
    await super.remove(...args);
    await this.#travel();
  }

  #travel(): Promise<void> {
    return new Promise(resolve => setTimeout(resolve, this.#draw.between(1, this.#mostMs)));
  }
}
