import { readFileSync } from 'node:fs';
import { MsgError } from '@msg/core';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { SendContext, Sink, SinkMessage } from '../contract.ts';
import { recipientGone, SinkFailure } from '../failure.ts';
import { httpExchange, isBusy, readSome, statusText } from '../http/http-post.ts';
import { jsonBody } from '../http/json-body.ts';
import type { SinkParts } from '../sink-kind.ts';
import { isPublicAddress } from '../webhook/public-address.ts';
import { encrypted, MAX_PLAINTEXT_BYTES } from './encryption.ts';
import { type PushAnswer, type PushFetch, pushFetch } from './push-fetch.ts';
import { PushServices } from './push-services.ts';
import {
  type CheckedRecipient,
  checkedRecipient,
  isUrgency,
  MAX_TTL_SECONDS,
  type RecipientRules,
  redactedRecipient,
  URGENCIES,
  type Urgency,
} from './recipient.ts';
import type { WebPushSettings } from './settings.ts';
import { VapidKey } from './vapid.ts';

const DEFAULT_TTL_SECONDS = 86_400;
/** Statuses of a message that was taken. Source: RFC 8030, section 5. */
const TAKEN: ReadonlySet<number> = new Set([200, 201, 202, 204]);
/** Statuses of a subscription that ended. Source: RFC 8030, section 7.3. */
const GONE: ReadonlySet<number> = new Set([404, 410]);
/** What is read of an answer, and shown of it. */
const MAX_ANSWER_BYTES = 4096;
const SHOWN_CHARACTERS = 200;
/** The longest `Retry-After` that is waited for. */
const MAX_RETRY_AFTER_SECONDS = 60;
const HOST_PATTERN = /^(?:\*\.)?[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i;

/** Options of a Web Push sink. */
export interface WebPushOptions {
  /** Default `webpush`. */
  readonly name?: string;
  /** Whom push services may write to: `mailto:` or `https:`. Required. */
  readonly vapidSubject: string;
  /** Base64url of 32 bytes: `msg vapid generate` makes one. Required. */
  readonly vapidPrivateKey: string;
  /** How long a push service keeps a message, seconds: 0 to 28 days; default one day. */
  readonly ttlSeconds?: number;
  /** Default `normal`. */
  readonly urgency?: Urgency;
  /** Hosts of push services, `*.example.com` for all below one. Default any. */
  readonly services?: readonly string[];
  /** Push services may have addresses that are not public. Default false. */
  readonly allowPrivate?: boolean;
  /** Posts to push services. Default: it connects to public addresses only, and reuses connections. */
  readonly fetch?: PushFetch;
  readonly clock?: Clock;
}

function invalid(problem: string): MsgError {
  return new MsgError('MSG_SINK_CONFIG_INVALID', `webpush sink: ${problem}`);
}

function readKey(text: string | undefined): VapidKey {
  if (text === undefined || text === '')
    throw invalid('vapid_private_key or vapid_key_file is required: `msg vapid generate` makes a key');
  try {
    return new VapidKey(text);
  } catch (error) {
    throw invalid(`vapid_private_key ${error instanceof Error ? error.message : 'is not a key'}`);
  }
}

function readSubject(text: string | undefined): string {
  const url = URL.parse(text ?? '');
  if (url === null || !['mailto:', 'https:'].includes(url.protocol))
    throw invalid('vapid_subject must be a mailto: or https: address');
  return url.href;
}

/** @throws MsgError MSG_INVALID_ARGUMENT for a message that is too long */
function plaintextOf({ subject, body, metadata }: SinkMessage, channel: string): Buffer {
  const text = jsonBody('web push', {
    ...defined({
      subject: subject === '' ? undefined : subject,
      body: body === '' ? undefined : body,
      metadata: Object.keys(metadata).length === 0 ? undefined : metadata,
      channel: channel === '' ? undefined : channel,
    }),
  });
  const bytes = Buffer.from(text);
  if (bytes.length > MAX_PLAINTEXT_BYTES)
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      `the message has ${bytes.length} bytes as JSON; a push message has at most ${MAX_PLAINTEXT_BYTES}`,
    );
  return bytes;
}

/** Sends messages to browsers without an open page. Source: app-developers, section 13; RFC 8030, 8291, 8292. */
export class WebPushSink implements Sink {
  readonly name: string;
  /** Base64url of the public key: pages subscribe with it. */
  readonly publicKey: string;
  readonly #rules: RecipientRules;
  readonly #services: PushServices;
  readonly #ttl: number;
  readonly #urgency: Urgency;
  readonly #fetch: PushFetch;
  readonly #clock: Clock;

  /** @throws MsgError MSG_SINK_CONFIG_INVALID for a missing or invalid key, subject, time, urgency or host */
  constructor(options: WebPushOptions) {
    const {
      ttlSeconds = DEFAULT_TTL_SECONDS,
      urgency = 'normal',
      services = [],
      allowPrivate = false,
    } = options;
    this.name = options.name ?? 'webpush';
    this.#clock = options.clock ?? systemClock;
    const key = readKey(options.vapidPrivateKey);
    this.publicKey = key.publicKey;
    this.#services = new PushServices(key, readSubject(options.vapidSubject), this.#clock);
    if (!Number.isInteger(ttlSeconds) || ttlSeconds < 0 || ttlSeconds > MAX_TTL_SECONDS)
      throw invalid('ttl must be whole seconds, at most 28 days');
    if (!isUrgency(urgency)) throw invalid(`urgency must be one of ${URGENCIES.join(', ')}`);
    if (!services.every(pattern => HOST_PATTERN.test(pattern)))
      throw invalid('services must hold hosts such as fcm.googleapis.com or *.push.apple.com');
    this.#ttl = ttlSeconds;
    this.#urgency = urgency;
    const isAllowed = allowPrivate ? () => true : isPublicAddress;
    this.#rules = { services, isAllowed };
    this.#fetch = options.fetch ?? pushFetch({ isAllowed });
  }

  /**
   * Sends once. `recipient` is a {@link WebPushRecipient}.
   * @throws MsgError MSG_INVALID_ARGUMENT for another recipient and for a message that is too long; MSG_SINK_RECIPIENT_GONE
   * when the subscription has ended; MSG_SINK_UNAVAILABLE for any other answer
   */
  async send(recipient: unknown, message: SinkMessage, context: SendContext = {}): Promise<void> {
    const to = checkedRecipient(recipient, this.#rules);
    const plaintext = plaintextOf(message, context.channel ?? '');
    const { origin, host, href } = to.endpoint;
    const label = `push service ${host}`;
    const answer = await this.#services.inTurn(origin, () =>
      httpExchange({
        label,
        url: href,
        headers: this.#headers(to, origin),
        body: encrypted(plaintext, to.keys),
        fetch: this.#fetch,
        clock: this.#clock,
        signal: context.signal,
      }),
    );
    await this.#settle(answer, label);
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT */
  decodeRecipient(stored: unknown): unknown {
    checkedRecipient(stored, this.#rules);
    return stored;
  }

  redactRecipient(recipient: unknown): unknown {
    return redactedRecipient(recipient);
  }

  #headers({ ttl, urgency, topic }: CheckedRecipient, origin: string): Headers {
    const headers = new Headers({
      'content-type': 'application/octet-stream',
      'content-encoding': 'aes128gcm',
      ttl: String(ttl ?? this.#ttl),
      urgency: urgency ?? this.#urgency,
      authorization: this.#services.authorization(origin),
    });
    if (topic !== undefined) headers.set('topic', topic);
    return headers;
  }

  async #settle({ status, body, retryAfter }: PushAnswer, label: string): Promise<void> {
    // The status decides; the body is read so that the connection can be used again.
    const answer = readSome(body, this.#clock, MAX_ANSWER_BYTES);
    if (TAKEN.has(status)) return;
    if (GONE.has(status))
      throw recipientGone(`${label} says that the subscription has ended: delete it, and ask the user again`);
    const answered = statusText(label, status);
    if (!isBusy(status)) {
      const text = Buffer.from(await answer)
        .toString()
        .slice(0, SHOWN_CHARACTERS)
        .replace(/\s+/g, ' ')
        .trim();
      throw new SinkFailure(false, 'MSG_SINK_UNAVAILABLE', text === '' ? answered : `${answered}: ${text}`);
    }
    throw busyFailure(answered, this.#secondsOf(retryAfter));
  }

  /** The seconds of a header `Retry-After`: a number, or a date. Source: RFC 9110, section 10.2.3. */
  #secondsOf(retryAfter: string | undefined): number {
    if (retryAfter === undefined) return 0;
    if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter);
    const until = Date.parse(retryAfter);
    return Number.isNaN(until) ? 0 : Math.max(0, (until - this.#clock.now()) / 1000);
  }
}

/** @returns transient, after the time that the push service asks for; terminal when that is too long */
function busyFailure(answered: string, seconds: number): SinkFailure {
  const isSoon = seconds <= MAX_RETRY_AFTER_SECONDS;
  const text = isSoon ? answered : `${answered}, and asks to wait ${Math.ceil(seconds)} s`;
  return new SinkFailure(isSoon, 'MSG_SINK_UNAVAILABLE', text, { retryAfterMs: seconds * 1000 });
}

/** The key of an entry. @throws MsgError MSG_SINK_CONFIG_INVALID */
function keyOf({ vapid_private_key: key, vapid_key_file: file }: WebPushSettings): string {
  if (file === undefined || file === '') return key ?? '';
  if (key !== undefined && key !== '') throw invalid('give vapid_private_key or vapid_key_file, not both');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw invalid('vapid_key_file cannot be read');
  }
}

/** The options of an entry of the configuration. @throws MsgError MSG_SINK_CONFIG_INVALID */
export function optionsOf(
  settings: WebPushSettings,
  { name, clock, privateUrls }: SinkParts,
): WebPushOptions {
  const { vapid_subject: vapidSubject, ttl, urgency, services, allow_private = false } = settings;
  if (urgency !== undefined && !isUrgency(urgency))
    throw invalid(`urgency must be one of ${URGENCIES.join(', ')}`);
  return {
    name,
    vapidSubject,
    vapidPrivateKey: keyOf(settings),
    allowPrivate: allow_private || privateUrls,
    clock,
    ...defined({ ttlSeconds: ttl === undefined ? undefined : ttl / 1000, urgency, services }),
  };
}

/** The sink of an entry of the configuration. @throws MsgError MSG_SINK_CONFIG_INVALID */
export function create(settings: WebPushSettings, parts: SinkParts): WebPushSink {
  return new WebPushSink(optionsOf(settings, parts));
}
