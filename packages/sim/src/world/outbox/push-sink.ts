import { MsgError } from '@msg/core';
import type { Random } from '@msg/foundation/clock';
import {
  MemoryDeadLetterQueue,
  type MsgOptions,
  type SendContext,
  type Sink,
  SinkFailure,
  type SinkMessage,
  WebPushSink,
} from '@msg/server';
import type { Kernel } from '../../kernel/kernel.ts';
import type { ParkedLetter, SinkAttempt } from '../../oracles/push.ts';

export const PUSH_SINK = 'push';
/** Of the application; any will do. */
const VAPID_KEY = Buffer.alloc(32, 7).toString('base64url');

/** What the service did with messages, in its own words. */
export interface SinkRecord {
  readonly attempts: SinkAttempt[];
  readonly letters: ParkedLetter[];
}

/** The options of a service with the real Web Push sink, whose attempts and letters are written down. */
export function pushOptions(kernel: Kernel, random: Random, record: SinkRecord): Partial<MsgOptions> {
  return {
    sinks: [new RecordedSink(kernel, record)],
    sinkRetry: { maxAttempts: 4, baseBackoff: 300, maxBackoff: 3000 },
    dlq: new RecordedQueue(random, record),
  };
}

class RecordedSink implements Sink {
  readonly name = PUSH_SINK;
  readonly #kernel: Kernel;
  readonly #record: SinkRecord;
  readonly #inner = new WebPushSink({
    name: PUSH_SINK,
    vapidSubject: 'mailto:ops@example.com',
    vapidPrivateKey: VAPID_KEY,
  });
  /** All attempts of a delivery have one signal. */
  readonly #deliveries = new WeakMap<AbortSignal, number>();

  constructor(kernel: Kernel, record: SinkRecord) {
    this.#kernel = kernel;
    this.#record = record;
  }

  async send(recipient: unknown, message: SinkMessage, context: SendContext): Promise<void> {
    const { attempts } = this.#record;
    const begunUs = this.#kernel.nowUs;
    const at = attempts.length;
    const base = { row: Number(message.body), delivery: this.#deliveryOf(context.signal, at), begunUs };
    attempts.push({ ...base, endedUs: undefined, outcome: 'unknown', status: undefined });
    const ended = (outcome: SinkAttempt['outcome'], status?: number): void => {
      attempts[at] = { ...base, endedUs: this.#kernel.nowUs, outcome, status };
    };
    try {
      await this.#inner.send(recipient, message, context);
      ended('sent');
    } catch (error) {
      const status = /returned (?<status>\d{3})/.exec(String(error))?.groups?.['status'];
      ended(outcomeOf(error), status === undefined ? undefined : Number(status));
      throw error;
    }
  }

  #deliveryOf(signal: AbortSignal | undefined, next: number): number {
    if (signal === undefined) return next;
    const delivery = this.#deliveries.get(signal) ?? next;
    this.#deliveries.set(signal, delivery);
    return delivery;
  }
}

function outcomeOf(error: unknown): SinkAttempt['outcome'] {
  if (error instanceof MsgError && error.code === 'MSG_SINK_RECIPIENT_GONE') return 'gone';
  if (error instanceof SinkFailure) return error.transient ? 'transient' : 'terminal';
  return 'refused';
}

class RecordedQueue extends MemoryDeadLetterQueue {
  readonly #record: SinkRecord;

  constructor(random: Random, record: SinkRecord) {
    super(random);
    this.#record = record;
  }

  override push(...[letter]: Parameters<MemoryDeadLetterQueue['push']>): Promise<string> {
    this.#record.letters.push({ row: Number(letter.message.body), lastError: letter.lastError });
    return super.push(letter);
  }
}
