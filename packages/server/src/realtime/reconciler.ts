import { type RealtimeNode, unsubscribe } from '@msg/engine';
import type { ChannelRegistry } from '../channels/registry/contract.ts';
import { SingleRun } from '../timers/single-run.ts';
import { isGone } from './channel-closer.ts';
import type { RevocationEnforcer } from './revocation-enforcer.ts';

/** Records per query. */
const BATCH = 500;

export interface ReconcilerOptions {
  readonly node: Pick<RealtimeNode, 'channels' | 'unsubscribeHere'>;
  readonly registry: Pick<ChannelRegistry, 'getAll'>;
  readonly revocationEnforcer: Pick<RevocationEnforcer, 'sweep'>;
  readonly onError: (error: unknown) => void;
}

/**
 * Compares this node's subscriptions with the store: during a lost connection the node may have missed deleted channels
 * and revoked tokens (client protocol 17).
 */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  readonly #runs = new SingleRun(() => this.#compare());

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Compares now; a call during a run causes one more run. Failures are reported, and the next run repairs them. */
  reconcile(): Promise<void> {
    return this.#runs.run();
  }

  async #compare(): Promise<void> {
    await this.#endGone().catch(this.#options.onError);
    await this.#options.revocationEnforcer.sweep();
  }

  async #endGone(): Promise<void> {
    const { node, registry } = this.#options;
    const names = [...node.channels()];
    for (let start = 0; start < names.length; start += BATCH) {
      const batch = names.slice(start, start + BATCH);
      const records = await registry.getAll(batch);
      const gone = batch.filter((name, index) => isGone(name, records[index]));
      await Promise.all(gone.map(name => node.unsubscribeHere(name, unsubscribe.serverUnsubscribe)));
    }
  }
}
