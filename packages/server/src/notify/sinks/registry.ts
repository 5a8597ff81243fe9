import { MsgError } from '@msg/core';
import type { Sink } from './contract.ts';
import { type RetryPolicy, retryPolicy, type SinkRetryOptions } from './retry-policy.ts';
import { type RetryingOptions, RetryingSink } from './retrying.ts';

const NAME = /^[^\p{Cc}\p{Cs}]{1,128}$/u;

export interface SinkRegistryOptions extends Omit<RetryingOptions, 'policy'> {
  readonly retry: SinkRetryOptions;
}

/** The sinks of a service by name, each with the retry wrapper. */
export class SinkRegistry {
  readonly #options: SinkRegistryOptions;
  readonly #sinks = new Map<string, RetryingSink>();

  constructor(options: SinkRegistryOptions) {
    this.#options = options;
  }

  /** The retry policy of sinks without their own settings. */
  get policy(): RetryPolicy {
    return retryPolicy(this.#options.retry);
  }

  /**
   * Adds a sink. It replaces a sink of the same name, which finishes its running deliveries. A wrapped sink is not
   * wrapped again. @throws MsgError MSG_SINK_CONFIG_INVALID for an invalid name
   */
  register(sink: Sink): void {
    if (!NAME.test(sink.name)) {
      throw new MsgError('MSG_SINK_CONFIG_INVALID', 'a sink name has 1 to 128 printable characters');
    }
    const inner = sink instanceof RetryingSink ? sink.inner : sink;
    const policy = retryPolicy(this.#options.retry, sink.name);
    this.#sinks.set(sink.name, new RetryingSink(inner, { ...this.#options, policy }));
  }

  /** The wrapped sink of that name. */
  get(name: string): RetryingSink | undefined {
    return this.#sinks.get(name);
  }

  /** As {@link get}. @throws MsgError MSG_SINK_CONFIG_INVALID when no sink has the name. */
  require(name: string): RetryingSink {
    const sink = this.#sinks.get(name);
    if (sink === undefined)
      throw new MsgError('MSG_SINK_CONFIG_INVALID', `no sink is registered as ${JSON.stringify(name)}`);
    return sink;
  }

  /** The keys with which pages subscribe to push messages, by sink. */
  publicKeys(): Readonly<Record<string, string>> {
    const keys = this.names().map(name => [name, this.require(name).inner.publicKey] as const);
    return Object.fromEntries(keys.filter((entry): entry is [string, string] => entry[1] !== undefined));
  }

  /** Registered names, sorted. */
  names(): readonly string[] {
    return [...this.#sinks.keys()].sort();
  }
}
