import type { SchemaChange } from '@msg/core';
import { SCHEMA_CHANNEL } from '@msg/core/internal';
import { errorFields, type Logger, silentLogger } from '../observability/logger.ts';
import type { SchemaRegistry } from './registry.ts';

/** Changes that may wait to be published; further ones are dropped. */
const BUFFER = 64;
/** TTL of the broadcast's channel, ten years, because an idle public channel closes. */
const CHANNEL_TTL_MS = 10 * 365 * 24 * 3_600_000;

export interface SchemaBroadcastOptions {
  readonly registry: Pick<SchemaRegistry, 'onChange'>;
  /** Opens a public channel. */
  readonly open: (channel: string, ttlMs: number) => Promise<unknown>;
  readonly publish: (channel: string, data: Uint8Array) => Promise<unknown>;
  /** Default `public:msg.registry.schemas`. */
  readonly channel?: string;
  readonly logger?: Logger;
}

/**
 * Publishes each mutation of a registry, in order, as one JSON change. Best effort: a failed publish is logged and
 * skipped, and clients fetch the snapshot again after a gap. Source: messaging details 14.3.
 */
export class SchemaBroadcast {
  readonly #options: SchemaBroadcastOptions;
  readonly #channel: string;
  readonly #logger: Logger;
  #waiting: SchemaChange[] = [];
  #publishing: Promise<void> | null = null;
  #detach: (() => void) | null = null;

  constructor(options: SchemaBroadcastOptions) {
    this.#options = options;
    this.#channel = options.channel ?? SCHEMA_CHANNEL;
    this.#logger = options.logger ?? silentLogger;
  }

  /** Opens the channel and starts publishing. Rejects when the channel cannot be opened. */
  async start(): Promise<void> {
    await this.#options.open(this.#channel, CHANNEL_TTL_MS);
    this.#detach = this.#options.registry.onChange(change => this.#receive(change));
  }

  /** Publishes the waiting changes and stops. */
  async stop(): Promise<void> {
    this.#detach?.();
    this.#detach = null;
    await this.#publishing;
  }

  #receive(change: SchemaChange): void {
    if (this.#waiting.length >= BUFFER) {
      this.#logger.warn(
        { pattern: change.pattern, kind: change.kind },
        'schema change is not broadcast: too many wait',
      );
      return;
    }
    this.#waiting.push(change);
    this.#publishing ??= this.#publishAll().finally(() => {
      this.#publishing = null;
    });
  }

  async #publishAll(): Promise<void> {
    for (let change = this.#waiting.shift(); change !== undefined; change = this.#waiting.shift()) {
      try {
        await this.#options.publish(this.#channel, new TextEncoder().encode(JSON.stringify(change)));
      } catch (error) {
        this.#logger.warn(
          { ...errorFields(error), pattern: change.pattern, kind: change.kind },
          'schema change is not broadcast',
        );
      }
    }
  }
}
