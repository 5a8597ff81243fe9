import type { Clock } from '@msg/foundation/clock';
import { Periodic } from '../../timers/periodic.ts';
import type { Keyring } from './keyring.ts';

export const DEFAULT_KEYRING_POLL_MS = 5000;

/** The events of the watcher. */
export interface WatcherEvents {
  onReloaded(): void;
  /** A reload failed; the current keyring stays in use. */
  onFailed(error: unknown): void;
}

/**
 * Polls the keyring's store and reloads the keyring after another process changed it. A failing poll is reported once,
 * not each time. Source: messaging details 7.3.
 */
export class KeyringWatcher {
  readonly #keyring: Keyring;
  readonly #events: WatcherEvents;
  readonly #periodic: Periodic | undefined;
  #failedVersion: string | undefined;
  #up = false;

  /** @param intervalMs 0 or less: never polls */
  constructor(keyring: Keyring, clock: Clock, intervalMs: number, events: WatcherEvents) {
    this.#keyring = keyring;
    this.#events = events;
    if (keyring.hasStore && intervalMs > 0) {
      this.#periodic = new Periodic(clock, intervalMs, () => this.poll(), events.onFailed);
    }
  }

  /** True while the watcher runs and its last poll succeeded. */
  get up(): boolean {
    return this.#up;
  }

  start(): void {
    this.#periodic?.start();
    this.#up = this.#periodic !== undefined;
  }

  /** Polls once. */
  async poll(): Promise<void> {
    const version = await this.#keyring.probe();
    if (version === undefined && this.#keyring.canBeLost) return this.#keyring.restore();
    if (version === undefined || version === this.#keyring.version || version === this.#failedVersion) return;
    try {
      await this.#keyring.reload();
      this.#failedVersion = undefined;
      this.#up = true;
      this.#events.onReloaded();
    } catch (error) {
      this.#failedVersion = version;
      this.#up = false;
      this.#events.onFailed(error);
    }
  }

  async stop(): Promise<void> {
    this.#up = false;
    await this.#periodic?.stop();
  }
}
