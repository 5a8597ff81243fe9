import { MsgError } from '@msg/core';
import type { AppendCommand, AppendOutcome, RealtimeNode } from '@msg/engine';
import type { SinkMessage } from '../notify/sinks/contract.ts';
import type { SubscriberCount } from '../notify/sinks/publish-or-sink.ts';
import type { SinkRegistry } from '../notify/sinks/registry.ts';
import { appendFailed } from './refusals.ts';

/** Where the text of an ended message goes without subscribers. */
export interface AppendSink {
  readonly sink: string;
  /** In the sink's own form. */
  readonly recipient: unknown;
  readonly message: Partial<SinkMessage>;
}

export interface AppendSinksParts {
  readonly node: () => Pick<RealtimeNode, 'appends' | 'appendState'>;
  readonly sinks: () => SinkRegistry;
  readonly subscribers: () => SubscriberCount;
  readonly onError: (error: unknown) => void;
}

const OUTCOMES = { sink: 'sent', dlq: 'parked' } as const;

/** Sends the text of ended messages through sinks (append streams 10.4). */
export class AppendSinks {
  readonly #parts: AppendSinksParts;

  constructor(parts: AppendSinksParts) {
    this.#parts = parts;
  }

  /**
   * @throws MsgError MSG_INVALID_ARGUMENT without an end, and for items without a body; MSG_SINK_CONFIG_INVALID for an
   * unknown sink
   */
  async require(
    channel: string,
    { message: id, format, ops }: AppendCommand,
    { sink, message }: AppendSink,
  ): Promise<void> {
    const last = ops.at(-1);
    if (last === undefined || !('status' in last))
      throw new MsgError('MSG_INVALID_ARGUMENT', 'or_sink goes with a final status');
    this.#parts.sinks().require(sink);
    if (message.body) return;
    // Only the first request of a message has to say its format.
    const state = await this.#parts.node().appendState(channel, id, false).catch(appendFailed);
    if ((state?.format ?? format) === 'items')
      throw new MsgError('MSG_INVALID_ARGUMENT', 'or_sink.message.body is required with the format items');
  }

  /** The outcome of an end that is stored. A failure never undoes the end: the outcome is then `pending`. */
  async settle(channel: string, message: string, to: AppendSink): Promise<AppendOutcome> {
    const { node, subscribers, onError } = this.#parts;
    const { appends } = node();
    try {
      const earlier = await appends.claimOutcome(channel, message);
      if (earlier !== null) return earlier;
      const outcome =
        (await subscribers().count(channel)) > 0 ? 'published' : await this.#send(channel, message, to);
      await appends.storeOutcome(channel, message, outcome);
      return outcome;
    } catch (error) {
      onError(error);
      return 'pending';
    }
  }

  async #send(
    channel: string,
    id: string,
    { sink, recipient, message }: AppendSink,
  ): Promise<'sent' | 'parked'> {
    const body = message.body || (await this.#textOf(channel, id));
    const via = await this.#parts
      .sinks()
      .require(sink)
      .deliver(recipient, { ...message, body }, { channel });
    return OUTCOMES[via];
  }

  async #textOf(channel: string, message: string): Promise<string> {
    const state = await this.#parts.node().appendState(channel, message);
    if (state?.document == null) return '';
    return String(JSON.parse(Buffer.from(state.document.bytes).toString()).text);
  }
}
