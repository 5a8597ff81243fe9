import type {
  AppendCancel,
  AppendOutcome,
  AppendState,
  AppendStore,
  CancelTarget,
  PreparedAppend,
  StoredAppend,
} from '../../append/contract.ts';
import type { LinkEnd } from '../../threads/link/link-end.ts';
import type { StreamOptions } from '../contract.ts';
import {
  type AppendArguments,
  appendState,
  type CancelArguments,
  type ClonableState,
  type OutcomeArguments,
  type StateArguments,
} from './append-calls.ts';
import { BrokerCall } from './kinds.ts';

/** The append streams of main's broker, for the node of a thread. */
export class ThreadAppends implements AppendStore {
  readonly #link: LinkEnd;
  /** How many watch each channel. */
  readonly #watched = new Map<string, number>();
  /** Messages are on main. */
  readonly openMessages = 0;

  constructor(link: LinkEnd) {
    this.#link = link;
  }

  async append(channel: string, request: PreparedAppend, stream: StreamOptions): Promise<StoredAppend> {
    const argument: AppendArguments = { channel, request, stream };
    return (await this.#link.call(BrokerCall.append, argument)) as StoredAppend;
  }

  async state(channel: string, message: string | null, withDocument?: boolean): Promise<AppendState | null> {
    const argument: StateArguments = { channel, message, withDocument };
    return appendState((await this.#link.call(BrokerCall.appendState, argument)) as ClonableState | null);
  }

  async watch(channel: string): Promise<() => void> {
    const watchers = this.#watched.get(channel) ?? 0;
    this.#watched.set(channel, watchers + 1);
    if (watchers === 0) await this.#link.call(BrokerCall.watch, channel);
    let isWatching = true;
    return () => {
      if (!isWatching) return;
      isWatching = false;
      this.#unwatch(channel);
    };
  }

  async cancel(channel: string, target: CancelTarget, cancel: AppendCancel): Promise<AppendState | null> {
    const argument: CancelArguments = { channel, target, cancel };
    return appendState((await this.#link.call(BrokerCall.cancelAppend, argument)) as ClonableState | null);
  }

  async claimOutcome(channel: string, message: string): Promise<AppendOutcome | null> {
    return (await this.#link.call(BrokerCall.claimOutcome, { channel, message })) as AppendOutcome | null;
  }

  async storeOutcome(channel: string, message: string, outcome: AppendOutcome): Promise<void> {
    const argument: OutcomeArguments = { channel, message, outcome };
    await this.#link.call(BrokerCall.storeOutcome, argument);
  }

  #unwatch(channel: string): void {
    const watchers = (this.#watched.get(channel) ?? 1) - 1;
    if (watchers > 0) {
      this.#watched.set(channel, watchers);
      return;
    }
    this.#watched.delete(channel);
    this.#link.call(BrokerCall.unwatch, channel).catch(() => {}); // main ends it with the thread
  }
}
