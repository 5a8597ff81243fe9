import { MsgError } from '@msg/core';
import type { Clock, Random } from '@msg/foundation/clock';
import type { Tracing } from '../../observability/tracing/contract.ts';
import { cancelled, unlessAborted } from './cancellation.ts';
import { isTransient } from './classification.ts';
import type { SendContext, Sink, SinkMessage } from './contract.ts';
import { errorText } from './error-text.ts';
import type { FailedDeliveries } from './failed-deliveries.ts';
import { isRecipientGone, SinkFailure } from './failure.ts';
import type { InFlightDeliveries } from './in-flight.ts';
import { sinkMessage } from './message.ts';
import { pause } from './pause.ts';
import { backoff, type RetryPolicy } from './retry-policy.ts';

/** A recipient that is gone for good. */
export interface GoneRecipient {
  readonly sink: string;
  /** As the caller gave it. */
  readonly recipient: unknown;
  /** The channel without subscribers; empty when the delivery had no channel. */
  readonly channel: string;
}

/** The observer of deliveries. */
interface DeliveryObserver {
  attempted(sink: string, ok: boolean, seconds: number): void;
  /** A delivery failed and is now a dead letter. */
  parked(sink: string, id: string, attempts: number, lastError: string): void;
  /** The destination says that the recipient is gone for good. */
  recipientGone(gone: GoneRecipient): void;
}

export interface RetryingOptions {
  readonly policy: RetryPolicy;
  readonly clock: Clock;
  readonly random: Random;
  readonly outbound: InFlightDeliveries;
  /** Queue of failed deliveries; without it the caller gets the last error. */
  readonly deadLetters?: FailedDeliveries;
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
      /** `refused`: the sink sent nothing, because of recipient or message; `gone`: the recipient is gone for good. */
      readonly reason: 'failed' | 'refused' | 'gone';
    };

type CuttableContext = SendContext & { readonly signal: AbortSignal };

/** Where a delivery ended. */
export type DeliveredVia = 'sink' | 'dlq';

/** A sink whose retries and dead letters are elsewhere. */
interface DeliveringSink extends Sink {
  /** Sends the message, or stores it as a dead letter; see {@link RetryingSink.send}. */
  deliver(recipient: unknown, message: SinkMessage, context: SendContext): Promise<DeliveredVia>;
}

function isDelivering(sink: Sink): sink is DeliveringSink {
  return 'deliver' in sink;
}

/** The sink refused recipient or message, and sent nothing (messaging details 12.2). */
function isDenial(error: unknown): boolean {
  return (
    error instanceof MsgError && error.code === 'MSG_INVALID_ARGUMENT' && !(error instanceof SinkFailure)
  );
}

function retryAfterOf(error: unknown): number {
  return (error instanceof SinkFailure && error.retryAfterMs) || 0;
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
  readonly redactRecipient?: (recipient: unknown) => unknown;
  readonly #options: RetryingOptions;

  constructor(inner: Sink, options: RetryingOptions) {
    this.name = inner.name;
    this.inner = inner;
    this.#options = options;
    if (inner.decodeRecipient !== undefined) this.decodeRecipient = inner.decodeRecipient.bind(inner);
    if (inner.redactRecipient !== undefined) this.redactRecipient = inner.redactRecipient.bind(inner);
  }

  /**
   * Sends the message, or stores it as a dead letter; both succeed.
   * @throws MsgError MSG_INVALID_ARGUMENT, without a send or dead letter, for a recipient or a message that the sink
   * refuses; MSG_SINK_RECIPIENT_GONE, without a dead letter, for a recipient that is gone for good; MSG_SINK_DLQ_OVERFLOW
   * when the dead letter could not be stored. Without a dead-letter queue, the last error.
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
    const { inner } = this;
    return this.#options.outbound.track(
      isDelivering(inner)
        ? inner.deliver(recipient, whole, context)
        : this.#deliver(recipient, whole, context),
    );
  }

  async #deliver(recipient: unknown, message: SinkMessage, context: SendContext): Promise<DeliveredVia> {
    const run = await this.attempt(recipient, message, context);
    if (run.sent) return 'sink';
    const { deadLetters } = this.#options;
    if (deadLetters === undefined || run.reason !== 'failed') throw run.error;
    await this.#park(deadLetters, recipient, message, context.channel ?? '', run.attempts, run.error);
    return 'dlq';
  }

  /** Tries by the policy, or at most so often, without storing a dead letter. Never rejects. */
  async attempt(
    recipient: unknown,
    message: SinkMessage,
    context: SendContext,
    most = this.#options.policy.maxAttempts,
  ): Promise<Attempts> {
    const { policy, clock, random, outbound, observer } = this.#options;
    const caller = context.signal === undefined ? [] : [context.signal];
    const signal = AbortSignal.any([outbound.aborted, ...caller]);
    if (signal.aborted) return { sent: false, attempts: 0, error: cancelled(), reason: 'failed' };
    for (let attempts = 1; ; attempts++) {
      try {
        await this.#traced(attempts, recipient, message, { channel: context.channel ?? '', signal });
        return { sent: true, attempts };
      } catch (error) {
        // Earlier attempts were sent (the host resolved to another address then): the message becomes a dead letter.
        if (isDenial(error))
          return {
            sent: false,
            attempts: attempts - 1,
            error,
            reason: attempts === 1 ? 'refused' : 'failed',
          };
        if (isRecipientGone(error)) {
          observer?.recipientGone({ sink: this.name, recipient, channel: context.channel ?? '' });
          return { sent: false, attempts, error, reason: 'gone' };
        }
        const over = attempts >= most || !isTransient(error, signal.aborted);
        if (over) return { sent: false, attempts, error, reason: 'failed' };
        const wait = Math.max(backoff(policy, attempts + 1, random), retryAfterOf(error));
        const waited = await pause(clock, wait, outbound.stopping, ...caller);
        if (!waited) return { sent: false, attempts, error, reason: 'failed' };
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
    deadLetters: FailedDeliveries,
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
