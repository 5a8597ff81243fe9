import { MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';
import type { Tracing } from '../../observability/tracing/contract.ts';
import type { DeadLetterQueue } from '../dead-letters/contract.ts';
import { cancelled, unlessAborted } from './cancellation.ts';
import { isTransient } from './classification.ts';
import type { SendContext, Sink, SinkMessage } from './contract.ts';
import { errorText } from './error-text.ts';
import { SinkFailure } from './failure.ts';
import type { InFlightDeliveries } from './in-flight.ts';
import { sinkMessage } from './message.ts';
import { pause } from './pause.ts';
import { backoff, type RetryPolicy } from './retry-policy.ts';

/** The observer of deliveries. */
export interface DeliveryObserver {
  attempted(sink: string, ok: boolean, seconds: number): void;
  /** A delivery failed and is now a dead letter. */
  parked(sink: string, id: string, attempts: number, lastError: string): void;
}

export interface RetryingOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly outbound: InFlightDeliveries;
  /** Queue of failed deliveries; without it the caller gets the last error. */
  readonly deadLetters?: DeadLetterQueue;
  readonly observer?: DeliveryObserver;
  /** Absent: tracing is off. */
  readonly tracing?: Tracing;
}

/** How a run of attempts ended. */
export type Attempts =
  | { readonly sent: true; readonly attempts: number }
  | {
      readonly sent: false;
      /** Number of sends. */
      readonly attempts: number;
      readonly error: unknown;
      /** The sink refused recipient or message before it sent anything. */
      readonly refused: boolean;
    };

type CuttableContext = SendContext & { readonly signal: AbortSignal };

/** Where a delivery ended. */
export type DeliveredVia = 'sink' | 'dlq';

/** The sink refused recipient or message, and sent nothing (messaging details 12.2). */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof MsgError && error.code === 'MSG_INVALID_ARGUMENT' && !(error instanceof SinkFailure)
  );
}

function storedRecipient(recipient: unknown): unknown {
  return JSON.parse(JSON.stringify(recipient) ?? 'null');
}

/**
 * A sink with the retry wrapper: retries transient failures by the policy, then stores a dead letter. Source: the
 * specification, "Retry wrapper"; messaging details 12.2.
 */
export class RetryingSink implements Sink {
  readonly name: string;
  /** The wrapped sink, which tries once. */
  readonly inner: Sink;
  readonly decodeRecipient?: (stored: unknown) => unknown;
  readonly #options: RetryingOptions;

  constructor(inner: Sink, options: RetryingOptions) {
    this.name = inner.name;
    this.inner = inner;
    this.#options = options;
    if (inner.decodeRecipient !== undefined) this.decodeRecipient = inner.decodeRecipient.bind(inner);
  }

  /**
   * Sends the message, or stores it as a dead letter; both succeed.
   * @throws MsgError MSG_INVALID_ARGUMENT, without a send or dead letter, for a recipient or a message that the sink
   * refuses; MSG_SINK_DLQ_OVERFLOW when the dead letter could not be stored. Without a dead-letter queue, the last error.
   */
  async send(recipient: unknown, message: Partial<SinkMessage>, context: SendContext = {}): Promise<void> {
    await this.deliver(recipient, message, context);
  }

  /** As {@link send}, and returns where the delivery ended. */
  async deliver(
    recipient: unknown,
    message: Partial<SinkMessage>,
    context: SendContext = {},
  ): Promise<DeliveredVia> {
    const whole = sinkMessage(message);
    return this.#options.outbound.track(this.#deliver(recipient, whole, context));
  }

  async #deliver(recipient: unknown, message: SinkMessage, context: SendContext): Promise<DeliveredVia> {
    const run = await this.attempt(recipient, message, context);
    if (run.sent) return 'sink';
    const { deadLetters } = this.#options;
    if (deadLetters === undefined || run.refused) throw run.error;
    await this.#park(deadLetters, recipient, message, context.channel ?? '', run.attempts, run.error);
    return 'dlq';
  }

  /** Tries by the policy without storing a dead letter. Never rejects. */
  async attempt(recipient: unknown, message: SinkMessage, context: SendContext): Promise<Attempts> {
    const { policy, clock, random, outbound } = this.#options;
    const caller = context.signal === undefined ? [] : [context.signal];
    const signal = AbortSignal.any([outbound.cutting, ...caller]);
    if (signal.aborted) return { sent: false, attempts: 0, error: cancelled(), refused: false };
    for (let attempts = 1; ; attempts++) {
      try {
        await this.#traced(attempts, recipient, message, { channel: context.channel ?? '', signal });
        return { sent: true, attempts };
      } catch (error) {
        // Earlier attempts were sent (the host resolved to another address then): the message becomes a dead letter.
        if (isRefusal(error)) return { sent: false, attempts: attempts - 1, error, refused: attempts === 1 };
        const over = attempts >= policy.maxAttempts || !isTransient(error, signal.aborted);
        if (over) return { sent: false, attempts, error, refused: false };
        const wait = backoff(policy, attempts + 1, random);
        const waited = await pause(clock, wait, outbound.stopping, ...caller);
        if (!waited) return { sent: false, attempts, error, refused: false };
      }
    }
  }

  #traced(
    attempt: number,
    recipient: unknown,
    message: SinkMessage,
    context: CuttableContext,
  ): Promise<void> {
    const { tracing } = this.#options;
    if (tracing === undefined) return this.#sendOnce(recipient, message, context);
    const attributes = { 'msg.sink': this.name, 'msg.attempt': attempt };
    return tracing.span({ name: `sink ${this.name}`, kind: 'client', attributes }, () => {
      const traceparent = tracing.current?.traceparent;
      return this.#sendOnce(
        recipient,
        message,
        traceparent === undefined ? context : { ...context, traceparent },
      );
    });
  }

  async #sendOnce(recipient: unknown, message: SinkMessage, context: CuttableContext): Promise<void> {
    const { clock, observer } = this.#options;
    const start = clock.monotonic();
    let ok = false;
    try {
      await unlessAborted(this.inner.send(recipient, message, context), context.signal);
      ok = true;
    } finally {
      observer?.attempted(this.name, ok, (clock.monotonic() - start) / 1000);
    }
  }

  async #park(
    deadLetters: DeadLetterQueue,
    recipient: unknown,
    message: SinkMessage,
    channel: string,
    attempts: number,
    error: unknown,
  ): Promise<void> {
    const { clock, observer } = this.#options;
    const lastError = errorText(error);
    let id: string;
    try {
      id = await deadLetters.push({
        sink: this.name,
        channel,
        recipient: storedRecipient(recipient),
        message,
        lastError,
        attempts,
        parkedAt: clock.now(),
      });
    } catch (cause) {
      throw new MsgError(
        'MSG_SINK_DLQ_OVERFLOW',
        `sink ${this.name} failed and the delivery could not be parked: ${lastError}`,
        { cause },
      );
    }
    observer?.parked(this.name, id, attempts, lastError);
  }
}
