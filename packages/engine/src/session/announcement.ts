import type { ClientInfo } from '@msg/protocol';
import type { NodeContext } from './context.ts';

/** What others may learn about a subscription. */
export interface Announced {
  readonly presence: boolean;
  readonly joinLeave: boolean;
}

/**
 * Makes one subscription known: its presence entry, its join and its leave. The steps run one after the other
 * whatever the backends take, so a leave never precedes its join and a late refresh cannot bring an entry back
 * (client protocol 15).
 */
export class Announcement {
  readonly #context: NodeContext;
  readonly #channel: string;
  readonly #announced: Announced;
  #info: ClientInfo;
  #entered = false;
  #joined = false;
  #left = false;
  /** Settles when the step begun last has settled; never rejects. */
  #last: Promise<void> = Promise.resolve();

  constructor(context: NodeContext, channel: string, info: ClientInfo, announced: Announced) {
    this.#context = context;
    this.#channel = channel;
    this.#info = info;
    this.#announced = announced;
  }

  /** Adds the presence entry, before the subscribe reply. Rejects as the backend does. */
  enter(): Promise<void> {
    if (!this.#announced.presence) return this.#last;
    this.#entered = true;
    return this.#step(() => this.#context.presence.add(this.#channel, this.#info.client, this.#info));
  }

  /** Emits the join, right after the subscribe reply. */
  join(): void {
    if (!this.#announced.joinLeave || this.#left) return;
    this.#joined = true;
    this.#inBackground(() => this.#context.broker.publishJoin(this.#channel, this.#info));
  }

  /** Keeps the presence entry alive; `info` may have changed. */
  refresh(info: ClientInfo): void {
    this.#info = info;
    if (!this.#announced.presence || this.#left) return;
    this.#inBackground(() => this.#context.presence.add(this.#channel, info.client, info));
  }

  /** Takes everything back: presence entry first, then the leave. Never rejects. */
  leave(): Promise<void> {
    if (this.#left) return this.#last;
    this.#left = true;
    const { presence, broker } = this.#context;
    if (this.#entered) this.#inBackground(() => presence.remove(this.#channel, this.#info.client));
    if (this.#joined) this.#inBackground(() => broker.publishLeave(this.#channel, this.#info));
    return this.#last;
  }

  #inBackground(step: () => Promise<void>): void {
    this.#step(step).catch(this.#context.reportError);
  }

  #step(step: () => Promise<void>): Promise<void> {
    const result = this.#last.then(step);
    this.#last = result.catch(() => {});
    return result;
  }
}
