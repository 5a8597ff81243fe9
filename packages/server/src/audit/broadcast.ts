import { isValidName, MsgError } from '@msg/core';
import type { AuditRecord } from './record.ts';

/** Records that may wait to be published; further ones are dropped. */
const BUFFER = 1000;

export interface AuditBroadcastParts {
  /** A private channel; empty: records are not published. */
  readonly channel: string;
  /** Opens the channel, or keeps it open for longer. */
  readonly open: (channel: string) => Promise<void>;
  readonly publish: (channel: string, data: Uint8Array) => Promise<unknown>;
  /** A record was not published, or the channel is not open. */
  readonly onFailed: (error: unknown) => void;
}

/** Publishes each record of the audit, in order, as JSON. Best effort: the log and the store have them all. */
export class AuditBroadcast {
  readonly #parts: AuditBroadcastParts;
  #waiting: AuditRecord[] = [];
  #publishing: Promise<void> | undefined;

  /** @throws MsgError MSG_INVALID_ARGUMENT for a channel that is not private */
  constructor(parts: AuditBroadcastParts) {
    const { channel } = parts;
    if (channel !== '' && !(isValidName(channel) && channel.startsWith('private:')))
      throw new MsgError('MSG_INVALID_ARGUMENT', `audit.channel must be a private channel; got ${channel}`);
    this.#parts = parts;
  }

  /** Opens the channel, or keeps it open for longer; it is called far more often than its TTL ends. */
  async keepOpen(): Promise<void> {
    const { channel, open, onFailed } = this.#parts;
    if (channel !== '') await open(channel).catch(onFailed);
  }

  /** Publishes what waits. */
  async stop(): Promise<void> {
    await this.#publishing;
  }

  add(record: AuditRecord): void {
    if (this.#parts.channel === '') return;
    if (this.#waiting.length >= BUFFER) {
      this.#parts.onFailed(new Error('too many audit records are waiting to be published'));
      return;
    }
    this.#waiting.push(record);
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = undefined;
    });
  }

  async #publishAll(): Promise<void> {
    const { channel, open, publish, onFailed } = this.#parts;
    for (let record = this.#waiting.shift(); record !== undefined; record = this.#waiting.shift()) {
      const data = new TextEncoder().encode(JSON.stringify(record));
      try {
        await publish(channel, data).catch(async () => {
          await open(channel);
          await publish(channel, data);
        });
      } catch (error) {
        onFailed(error);
      }
    }
  }
}
