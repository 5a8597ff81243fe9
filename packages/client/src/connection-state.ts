import type { Centrifuge } from 'centrifuge';

declare function queueMicrotask(task: () => void): void;

/** `idle` before the first connect; `retrying` while the client retries to reach the server. */
export type ClientState = 'idle' | 'connecting' | 'connected' | 'retrying' | 'disconnected';

/** The data of a `state` event. */
export interface StateChange {
  readonly state: ClientState;
  readonly previous: ClientState;
  /** The reason in words, for people and logs, not for programs. */
  readonly reason: string;
  /** Failed attempts since the last connection; 0 unless `retrying`. */
  readonly attempt: number;
  /** Milliseconds to the next attempt; `undefined` unless `retrying`. */
  readonly nextRetryMs: number | undefined;
}

/** A private member of the stock client: its delay before the next attempt. */
interface StockInternals {
  _getReconnectDelay?: () => number;
}

/** Follows the stock client, and distinguishes states that it reports as one. */
export class ConnectionState {
  readonly #stock: Centrifuge;
  readonly #onChange: (change: StateChange) => void;
  #current: ClientState = 'idle';
  #reason = '';
  /** Why the client itself closes the connection. */
  #closing: string | undefined;
  #attempt = 0;

  constructor(stock: Centrifuge, onChange: (change: StateChange) => void) {
    this.#stock = stock;
    this.#onChange = onChange;
    stock.on('connecting', ({ reason }) => this.set('connecting', reason));
    stock.on('connected', () => {
      this.#attempt = 0;
      this.set('connected', 'connected');
    });
    stock.on('disconnected', ({ reason }) => {
      // A listener before this one may have connected again.
      if (stock.state === 'disconnected') this.set('disconnected', this.#closing ?? reason);
    });
    stock.on('error', ({ error }) => {
      this.#reason = error.message;
    });
    this.#observeRetries();
  }

  get current(): ClientState {
    return this.#current;
  }

  /** Waits for the connection, also for one that follows a disconnect by itself. @throws what the stock client says */
  async ready(): Promise<void> {
    try {
      await this.#stock.ready();
    } catch (error) {
      if (this.#stock.state !== 'connecting') throw error;
      await this.ready();
    }
  }

  /** Changes the state; no effect for the current state. */
  set(state: ClientState, reason: string): void {
    this.#reason = reason;
    if (state !== this.#current) this.#change(state, undefined);
  }

  /** Closes the connection for a reason that the stock client does not know. */
  close(reason: string): void {
    this.#closing = reason;
    this.#stock.disconnect();
    this.#closing = undefined;
    // Before its first attempt the stock client has nothing to close.
    if (this.#current !== 'idle') this.set('disconnected', reason);
  }

  #change(state: ClientState, nextRetryMs: number | undefined): void {
    const previous = this.#current;
    this.#current = state;
    const attempt = state === 'retrying' ? this.#attempt : 0;
    this.#onChange({ state, previous, reason: this.#reason, attempt, nextRetryMs });
  }

  /** The stock client computes its delay exactly when an attempt has failed. */
  #observeRetries(): void {
    const stock = this.#stock as unknown as StockInternals;
    const delay = stock._getReconnectDelay;
    stock._getReconnectDelay = () => {
      const ms = delay?.call(stock) ?? 0;
      // The error with the reason arrives before or after, in the same turn.
      queueMicrotask(() => this.#retry(ms));
      return ms;
    };
  }

  #retry(ms: number): void {
    if (this.#stock.state !== 'connecting') return;
    this.#attempt++;
    this.#change('retrying', Math.round(ms));
  }
}
