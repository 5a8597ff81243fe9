import type { Service } from './composition.ts';
import { DEFAULT_SWEEP_INTERVAL_MS } from './options.ts';
import { Periodic } from './periodic.ts';

/** Revocations of other nodes take effect on live subscriptions within 5 s. */
const REVOCATION_SWEEP_MS = 4000;

/** What a running service does by itself: the channel sweep, the keyring watcher, the live revocation sweep. */
export class BackgroundWork {
  readonly #service: Service;
  readonly #periodics: readonly Periodic[];

  constructor(service: Service, sweepIntervalMs = DEFAULT_SWEEP_INTERVAL_MS) {
    this.#service = service;
    const { clock, channels, revocations, live, onError } = service;
    this.#periodics = [
      new Periodic(clock, sweepIntervalMs, () => channels.sweep(), onError),
      // With a store of its own a node learns of every revocation at once.
      ...(revocations.shared ? [new Periodic(clock, REVOCATION_SWEEP_MS, () => live.sweep(), onError)] : []),
    ];
  }

  start(): void {
    for (const periodic of this.#periodics) periodic.start();
    this.#service.watcher.start();
  }

  async stop(): Promise<void> {
    const { live, watcher } = this.#service;
    await Promise.all([...this.#periodics.map(periodic => periodic.stop()), watcher.stop(), live.stop()]);
  }
}
