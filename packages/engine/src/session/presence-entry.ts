import { SerialQueue } from '@msg/foundation/promises';
import type { ClientInfo } from '@msg/protocol';
import type { NodeContext } from './context.ts';

/** The backends of presence entries, joins and leaves. */
export type PresenceBackends = Pick<NodeContext, 'presence' | 'broker' | 'reportError'>;

/** What a subscription shows to others. */
export interface PresenceVisibility {
  readonly presence: boolean;
  readonly joinLeave: boolean;
}

/**
 * The presence entry, join and leave of one subscription. The steps run one after the other, so a leave never precedes
 * its join and a late refresh cannot restore a removed entry (client protocol 15).
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

  /** Adds the presence entry, before the subscribe reply. Rejects with the backend's error. */
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

  /** Refreshes the presence entry; `info` may have changed. */
  refresh(info: ClientInfo): void {
    this.#info = info;
    if (!this.#visibility.presence || this.#left) return;
    this.#inBackground(() => this.#context.presence.add(this.#channel, info.client, info));
  }

  /** Removes the presence entry, then emits the leave. Never rejects. */
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
