import { ECDH } from 'node:crypto';
import { isIP } from 'node:net';
import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { SubscriptionKeys } from './encryption.ts';

/** How soon a push service wakes the device. Source: RFC 8030, section 5.3. */
export const URGENCIES = ['very-low', 'low', 'normal', 'high'] as const;
/** One of {@link URGENCIES}. */
export type Urgency = (typeof URGENCIES)[number];

/** The longest time for which a push service is asked to keep a message, seconds. */
export const MAX_TTL_SECONDS = 28 * 86_400;

/** What `JSON.stringify(subscription)` gives in a browser, and how its messages are sent. */
export interface WebPushRecipient {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly expirationTime?: number | null;
  /** Seconds; default: the sink's. */
  readonly ttl?: number;
  /** Default: the sink's. */
  readonly urgency?: Urgency;
  /** A later message of the same topic replaces one that waits. At most 32 characters of base64url. */
  readonly topic?: string;
}

/** A recipient that was checked. */
export interface CheckedRecipient {
  readonly endpoint: URL;
  readonly keys: SubscriptionKeys;
  readonly ttl: number | undefined;
  readonly urgency: Urgency | undefined;
  readonly topic: string | undefined;
}

/** What a sink allows of recipients. */
export interface RecipientRules {
  /** Host patterns; empty: any host. */
  readonly services: readonly string[];
  /** Whether an IP address is allowed as host. */
  readonly isAllowed: (address: string) => boolean;
}

const MAX_ENDPOINT_LENGTH = 2048;
const BASE64URL = /^[A-Za-z0-9_-]+={0,2}$/;
const TOPIC = /^[A-Za-z0-9_-]{1,32}$/;

function refused(problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `the recipient's ${problem}`);
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the member; the text holds no value of it */
export function checkedRecipient(recipient: unknown, rules: RecipientRules): CheckedRecipient {
  if (!isRecord(recipient))
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'the recipient must be the JSON of a push subscription: {endpoint, keys: {p256dh, auth}}',
    );
  const { endpoint, keys, ttl, urgency, topic } = recipient;
  if (!isRecord(keys)) throw refused('keys must be an object with p256dh and auth');
  return {
    endpoint: checkedEndpoint(endpoint, rules),
    keys: { p256dh: checkedPoint(keys['p256dh']), auth: bytesOf(keys['auth'], 16, 'keys.auth') },
    ttl: checkedTtl(ttl),
    urgency: checkedUrgency(urgency),
    topic: checkedTopic(topic),
  };
}

function checkedEndpoint(endpoint: unknown, { services, isAllowed }: RecipientRules): URL {
  const url =
    typeof endpoint === 'string' && endpoint.length <= MAX_ENDPOINT_LENGTH ? URL.parse(endpoint) : null;
  if (url === null) throw refused(`endpoint must be a URL of at most ${MAX_ENDPOINT_LENGTH} characters`);
  if (url.protocol !== 'https:') throw refused('endpoint must be https');
  if (url.username !== '' || url.password !== '') throw refused('endpoint must not hold credentials');
  if (services.length > 0 && !services.some(pattern => isHostOf(pattern, url.hostname)))
    throw refused("endpoint has a host that is not one of the sink's services");
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0 && !isAllowed(host)) throw privateEndpoint();
  return url;
}

/** The error of an endpoint that leads to an address that is not public. */
export function privateEndpoint(): MsgError {
  return refused('endpoint must lead to public addresses only; allow_private of the sink allows others');
}

/** `push.example.com`, or `*.example.com` for every host below it. */
function isHostOf(pattern: string, host: string): boolean {
  const name = pattern.toLowerCase();
  return name.startsWith('*.') ? host.endsWith(name.slice(1)) : host === name;
}

function bytesOf(text: unknown, length: number, member: string): Buffer {
  const bytes = typeof text === 'string' && BASE64URL.test(text) ? Buffer.from(text, 'base64url') : undefined;
  if (bytes?.length !== length) throw refused(`${member} must be ${length} bytes in base64url`);
  return bytes;
}

function checkedPoint(text: unknown): Buffer {
  const bytes = bytesOf(text, 65, 'keys.p256dh');
  try {
    return Buffer.from(ECDH.convertKey(bytes, 'prime256v1', undefined, undefined, 'uncompressed'));
  } catch {
    throw refused('keys.p256dh must be a point of the curve P-256');
  }
}

function checkedTtl(ttl: unknown): number | undefined {
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== 'number' || !Number.isInteger(ttl) || ttl < 0 || ttl > MAX_TTL_SECONDS)
    throw refused(`ttl must be whole seconds from 0 to ${MAX_TTL_SECONDS}`);
  return ttl;
}

/** Whether a text is an urgency. */
export function isUrgency(text: unknown): text is Urgency {
  return URGENCIES.includes(text as Urgency); // compares only
}

function checkedUrgency(urgency: unknown): Urgency | undefined {
  if (urgency === undefined || urgency === null) return undefined;
  if (!isUrgency(urgency)) throw refused(`urgency must be one of ${URGENCIES.join(', ')}`);
  return urgency;
}

function checkedTopic(topic: unknown): string | undefined {
  if (topic === undefined || topic === null) return undefined;
  if (typeof topic !== 'string' || !TOPIC.test(topic))
    throw refused('topic must be at most 32 characters of base64url');
  return topic;
}

/** The last characters of an endpoint that listings show. */
const SHOWN_CHARACTERS = 6;

/** The recipient as listings show it: host and last characters, no keys. */
export function redactedRecipient(recipient: unknown): unknown {
  const endpoint = isRecord(recipient) ? recipient['endpoint'] : undefined;
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null;
  return { endpoint: url === null ? '…' : `${url.origin}/…${url.href.slice(-SHOWN_CHARACTERS)}` };
}
