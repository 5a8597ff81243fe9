import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/engine';
import type { SendContext, Sink, SinkMessage } from './contract.ts';
import { parseEndpoint } from './endpoint.ts';
import { httpPost, type SinkFetch } from './http-post.ts';
import { recipientMember } from './recipient-member.ts';
import { SIGNATURE_HEADER, signWebhook } from './signature.ts';

/** Recipient of a webhook: absent or empty means the configured URL. */
export interface WebhookRecipient {
  readonly url?: string;
}

export interface WebhookOptions {
  /** Default `webhook`. */
  readonly name?: string;
  /** Where messages without a URL of their own go. Required. */
  readonly url: string;
  /** Sent with every post, and to every recipient; they win over the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Every post is signed with it: header `X-Msg-Signature`, see {@link verifyWebhook}. */
  readonly signingSecret?: string;
  /** Decides which recipients' URLs may be posted to; default: all. The configured URL is not asked about. */
  readonly allowUrl?: (url: URL) => boolean;
  readonly fetch?: SinkFetch;
  readonly clock?: Clock;
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `webhook sink: ${problem}`);
}

/** What is posted: members that are empty are left out. */
function payload({ subject, body, metadata }: SinkMessage): string {
  return JSON.stringify({
    ...(subject === '' ? {} : { subject }),
    ...(body === '' ? {} : { body }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
  });
}

/** Posts messages as JSON. Source: the specification, "Sinks"; messaging details 12.1. */
export class WebhookSink implements Sink {
  readonly name: string;
  readonly #url: string;
  readonly #headers: Headers;
  readonly #signingSecret: string;
  readonly #allowUrl: (url: URL) => boolean;
  readonly #fetch: SinkFetch;
  readonly #clock: Clock;

  /** @throws MsgError MSG_SINK_CONFIG_INVALID for a missing or unusable URL and for headers that HTTP does not know. */
  constructor(options: WebhookOptions) {
    this.name = options.name ?? 'webhook';
    if (!options.url) throw invalid('url is required');
    const endpoint = parseEndpoint(options.url);
    if ('problem' in endpoint) throw invalid(`url ${endpoint.problem}`);
    this.#url = endpoint.url;
    this.#headers = new Headers({ 'content-type': 'application/json' });
    for (const [name, value] of Object.entries(options.headers ?? {})) {
      try {
        this.#headers.set(name, value);
      } catch {
        throw invalid(`headers: ${JSON.stringify(name)} is no HTTP header`);
      }
    }
    this.#signingSecret = options.signingSecret ?? '';
    this.#allowUrl = options.allowUrl ?? (() => true);
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Posts once. `recipient` is a {@link WebhookRecipient}, `null` or absent.
   * @throws MsgError MSG_INVALID_ARGUMENT for another recipient; MSG_SINK_UNAVAILABLE, see {@link httpPost}.
   */
  async send(recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const url = this.#target(this.decodeRecipient(recipient));
    const body = payload(message);
    const headers = new Headers(this.#headers);
    if (this.#signingSecret !== '')
      headers.set(SIGNATURE_HEADER, signWebhook(this.#signingSecret, body, this.#clock.now()));
    const { signal, traceparent } = context;
    if (traceparent !== undefined) headers.set('traceparent', traceparent);
    await httpPost({ label: 'webhook', url, headers, body, fetch: this.#fetch, clock: this.#clock, signal });
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT */
  decodeRecipient(stored: unknown): WebhookRecipient {
    if (stored === null || stored === undefined) return {};
    const url = recipientMember(stored, 'url');
    return url === undefined ? {} : { url };
  }

  #target({ url = '' }: WebhookRecipient): string {
    if (url === '') return this.#url;
    const endpoint = parseEndpoint(url);
    if ('problem' in endpoint)
      throw new MsgError('MSG_INVALID_ARGUMENT', `the recipient's url ${endpoint.problem}`);
    if (!this.#allowUrl(new URL(endpoint.url)))
      throw new MsgError('MSG_INVALID_ARGUMENT', "the recipient's url is not allowed");
    return endpoint.url;
  }
}
