import { SerialQueue } from '@msg/foundation/promises';
import type { ClientInfo } from '@msg/protocol';
import type { NodeContext } from './context.ts';

/** Where presence entries, joins and leaves go. */
export type PresenceBackends = Pick<NodeContext, 'presence' | 'broker' | 'reportError'>;

/** What others may learn about a subscription. */
export interface PresenceVisibility {
  readonly presence: boolean;
  readonly joinLeave: boolean;
}

/**
 * Makes one subscription known: its presence entry, its join and its leave. The steps run one after the other
 * whatever the backends take, so a leave never precedes its join and a late refresh cannot bring an entry back
 * (client protocol 15).
 */
export class PresenceEntry {
  readonly #context: PresenceBackends;
  readonly #channel: string;
  readonly #visibility: PresenceVisibility;
  #info: ClientInfo;
  #entered = false;
  #joined = false;
  #left = false;
  readonly #steps = new SerialQueue();

  constructor(context: PresenceBackends, channel: string, info: ClientInfo, visibility: PresenceVisibility) {
    this.#context = context;
    this.#channel = channel;
    this.#info = info;
    this.#visibility = visibility;
  }

  /** Adds the presence entry, before the subscribe reply. Rejects as the backend does. */
  add(): Promise<void> {
    if (!this.#visibility.presence) return this.#steps.settled();
    this.#entered = true;
    return this.#steps.run(() => this.#context.presence.add(this.#channel, this.#info.client, this.#info));
  }

  /** Emits the join, right after the subscribe reply. */
  join(): void {
    if (!this.#visibility.joinLeave || this.#left) return;
    this.#joined = true;
    this.#inBackground(() => this.#context.broker.publishJoin(this.#channel, this.#info));
  }

  /** Keeps the presence entry alive; `info` may have changed. */
  refresh(info: ClientInfo): void {
    this.#info = info;
    if (!this.#visibility.presence || this.#left) return;
    this.#inBackground(() => this.#context.presence.add(this.#channel, info.client, info));
  }

  /** Takes everything back: presence entry first, then the leave. Never rejects. */
  leave(): Promise<void> {
    if (this.#left) return this.#steps.settled();
    this.#left = true;
    const { presence, broker } = this.#context;
    if (this.#entered) this.#inBackground(() => presence.remove(this.#channel, this.#info.client));
    if (this.#joined) this.#inBackground(() => broker.publishLeave(this.#channel, this.#info));
    return this.#steps.settled();
  }

  #inBackground(step: () => Promise<void>): void {
    this.#steps.run(step).catch(this.#context.reportError);
  }
}
