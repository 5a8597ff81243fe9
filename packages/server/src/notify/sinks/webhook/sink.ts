import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { SendContext, Sink, SinkMessage } from '../contract.ts';
import { parseEndpoint } from '../http/endpoint.ts';
import { httpPost, type SinkFetch } from '../http/http-post.ts';
import { jsonBody } from '../http/json-body.ts';
import { recipientMember } from '../recipient-member.ts';
import type { SinkParts } from '../sink-kind.ts';
import { publicFetch, type ResolveHost } from './public-fetch.ts';
import type { WebhookSettings } from './settings.ts';
import { SIGNATURE_HEADER, signWebhook } from './signature.ts';

/** Recipient of a webhook: absent or empty means the configured URL. */
export interface WebhookRecipient {
  readonly url?: string;
}

/** Options of a webhook sink. */
export interface WebhookOptions {
  /** Default `webhook`. */
  readonly name?: string;
  /** Destination of messages without their own URL. Required. */
  readonly url: string;
  /** Headers of every post to a trusted origin; they can replace the content type. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Secret that signs every post to a trusted origin: header `X-Msg-Signature`, see {@link verifyWebhook}. */
  readonly signingSecret?: string;
  /**
   * Further trusted origins, such as `https://hooks.example.com`: recipients' URLs there get headers, signature and trace
   * context, and may have private addresses. Default none.
   */
  readonly allowedOrigins?: readonly string[];
  /** Recipients' URLs of any origin may have addresses that are not public. Default false. */
  readonly privateUrls?: boolean;
  /** Decides whether a recipient's URL is allowed; default: all. It is not called for the configured URL. */
  readonly allowUrl?: (url: URL) => boolean;
  /**
   * The `fetch` for trusted origins, with `privateUrls` for all. Posts to other origins use {@link publicFetch}. Default:
   * the runtime's `fetch`.
   */
  readonly fetch?: SinkFetch;
  /** Resolves hosts of recipients' URLs; default: the operating system. */
  readonly resolve?: ResolveHost;
  readonly clock?: Clock;
}

/** The destination of one message. */
interface Destination {
  readonly url: string;
  /** Its origin is the configured URL's or one of `allowedOrigins`. */
  readonly isTrusted: boolean;
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `webhook sink: ${problem}`);
}

/** @throws MsgError MSG_SINK_CONFIG_INVALID for an entry that is not an origin. */
function readOrigin(entry: string): string {
  const endpoint = parseEndpoint(entry);
  if ('problem' in endpoint || !/^https?:\/\/[^/?#*\\]+\/?$/i.test(entry))
    throw invalid('allowed_origins must hold origins such as https://hooks.example.com');
  return new URL(endpoint.url).origin;
}

/**
 * The posted JSON, without empty members.
 * @throws MsgError MSG_INTERNAL, see {@link jsonBody}.
 */
function payload({ subject, body, metadata }: SinkMessage): string {
  return jsonBody('webhook', {
    ...defined({
      subject: subject === '' ? undefined : subject,
      body: body === '' ? undefined : body,
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
    }),
  });
}

/** Posts messages as JSON. Source: the specification, "Sinks"; messaging details 12.1. */
export class WebhookSink implements Sink {
  readonly name: string;
  readonly #url: string;
  readonly #headers: Headers;
  readonly #signingSecret: string;
  readonly #trustedOrigins: ReadonlySet<string>;
  readonly #allowUrl: (url: URL) => boolean;
  readonly #fetch: SinkFetch;
  /** For URLs of origins that are not trusted. */
  readonly #foreignFetch: SinkFetch;
  readonly #clock: Clock;

  /** @throws MsgError MSG_SINK_CONFIG_INVALID for a missing or invalid URL, an invalid origin and invalid headers */
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
        throw invalid(`headers: ${JSON.stringify(name)} is not a valid HTTP header`);
      }
    }
    this.#signingSecret = options.signingSecret ?? '';
    const allowedOrigins = (options.allowedOrigins ?? []).map(readOrigin);
    this.#trustedOrigins = new Set([new URL(endpoint.url).origin, ...allowedOrigins]);
    this.#allowUrl = options.allowUrl ?? (() => true);
    this.#fetch = options.fetch ?? globalThis.fetch;
    const { resolve } = options;
    const checked = publicFetch(resolve === undefined ? {} : { resolve });
    this.#foreignFetch = options.privateUrls === true ? this.#fetch : checked;
    this.#clock = options.clock ?? systemClock;
  }

  /**
   * Posts once. `recipient` is a {@link WebhookRecipient}, `null` or absent. Only a trusted origin gets headers and
   * signature.
   * @throws MsgError MSG_INVALID_ARGUMENT for another recipient, and for one whose address is refused; MSG_INTERNAL for a
   * message that cannot be written as JSON; MSG_SINK_UNAVAILABLE, see {@link httpPost}.
   */
  async send(recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const { url, isTrusted } = this.#destination(this.decodeRecipient(recipient));
    const body = payload(message);
    await httpPost({
      label: 'webhook',
      url,
      headers: isTrusted
        ? this.#trustedHeaders(body, context.traceparent)
        : new Headers({ 'content-type': 'application/json' }),
      body,
      fetch: isTrusted ? this.#fetch : this.#foreignFetch,
      clock: this.#clock,
      signal: context.signal,
    });
  }

  /**
   * @throws MsgError MSG_INVALID_ARGUMENT, also for a recipient of another sink, which must not go to the configured URL
   */
  decodeRecipient(stored: unknown): WebhookRecipient {
    if (stored === null || stored === undefined) return {};
    const url = recipientMember(stored, 'url');
    if (url !== undefined) return { url };
    const names = Object.keys(stored);
    if (names.length === 0 || names.some(name => name.toLowerCase() === 'url')) return {};
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      "the recipient's url is missing; give no recipient for the configured one",
    );
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for a URL that is refused; where a host leads to is seen at the send */
  checkRecipient(recipient: WebhookRecipient): void {
    this.#destination(recipient);
  }

  #trustedHeaders(body: string, traceparent: string | undefined): Headers {
    const headers = new Headers(this.#headers);
    if (this.#signingSecret !== '')
      headers.set(SIGNATURE_HEADER, signWebhook(this.#signingSecret, body, this.#clock.now()));
    if (traceparent !== undefined) headers.set('traceparent', traceparent);
    return headers;
  }

  #destination({ url = '' }: WebhookRecipient): Destination {
    if (url === '') return { url: this.#url, isTrusted: true };
    const endpoint = parseEndpoint(url);
    if ('problem' in endpoint)
      throw new MsgError('MSG_INVALID_ARGUMENT', `the recipient's url ${endpoint.problem}`);
    const target = new URL(endpoint.url);
    if (!this.#allowUrl(target))
      throw new MsgError('MSG_INVALID_ARGUMENT', "the recipient's url is not allowed");
    return { url: endpoint.url, isTrusted: this.#trustedOrigins.has(target.origin) };
  }
}

/** The sink of an entry of the configuration. @throws MsgError MSG_SINK_CONFIG_INVALID */
export function create(settings: WebhookSettings, { name, clock, privateUrls }: SinkParts): WebhookSink {
  const { url, headers = {}, signing_secret: signingSecret = '', allowed_origins = [] } = settings;
  return new WebhookSink({
    name,
    url,
    headers,
    signingSecret,
    allowedOrigins: allowed_origins,
    privateUrls,
    clock,
  });
}
