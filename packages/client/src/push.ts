import { MsgError } from '@msg/core';
import { base64Bytes } from './base64.ts';

/** The part of a browser's `PushSubscription` that is needed. */
export interface BrowserSubscription {
  readonly options: { readonly applicationServerKey?: ArrayBuffer | null };
  toJSON(): unknown;
  unsubscribe(): Promise<boolean>;
}

/** The part of a browser's `ServiceWorkerRegistration` that is needed. */
export interface PushRegistration {
  readonly pushManager?: {
    getSubscription(): Promise<BrowserSubscription | null>;
    subscribe(options: {
      readonly userVisibleOnly: true;
      readonly applicationServerKey: Uint8Array<ArrayBuffer>;
    }): Promise<BrowserSubscription>;
  };
}

/** The recipient of push messages: what PublishOrSink takes for a sink of the kind `webpush`. */
export interface PushRecipient {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly expirationTime?: number | null;
}

/** How a page subscribes. */
export interface PushSubscribeOptions {
  /** Of the service worker that shows the messages: `await navigator.serviceWorker.ready`. */
  readonly registration: PushRegistration;
  /** Base64url of the sink's public key: the manifest has it under `webpush`, `msg vapid generate` prints it. */
  readonly publicKey: string;
}

const PUBLIC_KEY = /^[A-Za-z0-9_-]{87}$/;

/**
 * Subscribes this browser to push messages, and returns its recipient, which the application keeps. It asks the user where
 * they were not asked before: call it after a click. A subscription with another key is replaced.
 * @throws MsgError MSG_INVALID_ARGUMENT for a key that is not one, and where the browser has no push messages. Rejects with
 * the browser's `NotAllowedError` when the user does not allow them.
 */
export async function subscribeToPush({
  registration,
  publicKey,
}: PushSubscribeOptions): Promise<PushRecipient> {
  const { pushManager } = registration;
  if (pushManager === undefined)
    throw new MsgError(
      'MSG_INVALID_ARGUMENT',
      'this browser has no push messages here: they need HTTPS, and on iOS a page on the home screen',
    );
  const key = keyBytes(publicKey);
  const existing = await pushManager.getSubscription();
  if (existing !== null && isSame(existing.options.applicationServerKey, key)) return recipientOf(existing);
  await existing?.unsubscribe();
  return recipientOf(await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key }));
}

/** @throws MsgError MSG_INVALID_ARGUMENT */
function keyBytes(publicKey: string): Uint8Array<ArrayBuffer> {
  if (!PUBLIC_KEY.test(publicKey))
    throw new MsgError('MSG_INVALID_ARGUMENT', 'publicKey must be 65 bytes in base64url, 87 characters');
  return base64Bytes(publicKey.replaceAll('-', '+').replaceAll('_', '/'));
}

function isSame(held: ArrayBuffer | null | undefined, key: Uint8Array): boolean {
  if (held === null || held === undefined) return false;
  const bytes = new Uint8Array(held);
  return bytes.length === key.length && bytes.every((byte, at) => byte === key[at]);
}

function recipientOf(subscription: BrowserSubscription): PushRecipient {
  return subscription.toJSON() as PushRecipient; // as the Push API, section 8, says
}
