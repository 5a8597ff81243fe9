import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { SendContext, Sink, SinkMessage } from '../contract.ts';
import { parseEndpoint } from '../http/endpoint.ts';
import { httpPost, type SinkFetch } from '../http/http-post.ts';
import { jsonBody } from '../http/json-body.ts';
import type { SinkParts } from '../sink-kind.ts';
import type { SlackSettings } from './settings.ts';

/** Options of a Slack sink. */
export interface SlackOptions {
  /** Default `slack`. */
  readonly name?: string;
  /** The incoming webhook of one Slack channel: a secret. Required. */
  readonly webhookUrl: string;
  readonly fetch?: SinkFetch;
  readonly clock?: Clock;
}

/** @throws MsgError MSG_INTERNAL, see {@link jsonBody}. */
function payload({ subject, body, metadata }: SinkMessage): string {
  return jsonBody('slack webhook', {
    text: subject === '' ? body : `*${subject}*\n${body}`,
    ...defined({ metadata: Object.keys(metadata).length === 0 ? undefined : metadata }),
  });
}

/** Posts messages to one Slack channel. Source: the specification, "Sinks"; messaging details 12.1. */
export class SlackSink implements Sink {
  readonly name: string;
  readonly #url: string;
  readonly #fetch: SinkFetch;
  readonly #clock: Clock;

  /** @throws MsgError MSG_SINK_CONFIG_INVALID for a missing or invalid URL */
  constructor(options: SlackOptions) {
    this.name = options.name ?? 'slack';
    if (!options.webhookUrl)
      throw new MsgError('MSG_SINK_CONFIG_INVALID', 'slack sink: webhookUrl is required');
    const endpoint = parseEndpoint(options.webhookUrl);
    if ('problem' in endpoint)
      throw new MsgError('MSG_SINK_CONFIG_INVALID', `slack sink: webhookUrl ${endpoint.problem}`);
    this.#url = endpoint.url;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#clock = options.clock ?? systemClock;
  }

  /** Posts once; the recipient is ignored. @throws MsgError MSG_SINK_UNAVAILABLE, see {@link httpPost}; MSG_INTERNAL, see {@link jsonBody}. */
  async send(_recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const headers = new Headers({ 'content-type': 'application/json' });
    await httpPost({
      label: 'slack webhook',
      url: this.#url,
      headers,
      body: payload(message),
      fetch: this.#fetch,
      clock: this.#clock,
      signal: context.signal,
    });
  }

  /** Slack sinks have no recipient. */
  decodeRecipient(): null {
    return null;
  }
}

/** The sink of an entry of the configuration. @throws MsgError MSG_SINK_CONFIG_INVALID */
export function create({ webhook_url: webhookUrl }: SlackSettings, { name, clock }: SinkParts): SlackSink {
  return new SlackSink({ name, webhookUrl, clock });
}
