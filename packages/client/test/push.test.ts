import { createECDH } from 'node:crypto';
import { type BrowserSubscription, type PushRegistration, subscribeToPush } from '@msg/client/push';
import { describe, expect, it } from 'vitest';

const publicKey = createECDH('prime256v1').generateKeys('base64url');
const JSON_OF_SUBSCRIPTION = {
  endpoint: 'https://push.example.com/1',
  expirationTime: null,
  keys: { p256dh: 'p', auth: 'a' },
};

/** A browser with a subscription under a key, or none. */
function browserWith(held?: string) {
  const happened: string[] = [];
  const subscriptionOf = (key: Uint8Array<ArrayBuffer>): BrowserSubscription => ({
    options: { applicationServerKey: key.buffer },
    toJSON: () => JSON_OF_SUBSCRIPTION,
    async unsubscribe() {
      happened.push('unsubscribe');
      return true;
    },
  });
  const registration: PushRegistration = {
    pushManager: {
      getSubscription: async () =>
        held === undefined ? null : subscriptionOf(new Uint8Array(Buffer.from(held, 'base64url'))),
      async subscribe({ userVisibleOnly, applicationServerKey }) {
        happened.push(
          `subscribe ${userVisibleOnly} ${Buffer.from(applicationServerKey).toString('base64url')}`,
        );
        return subscriptionOf(applicationServerKey);
      },
    },
  };
  return { registration, happened };
}

describe('subscribeToPush', () => {
  it('subscribes with the key of the sink, and returns the recipient', async () => {
    const { registration, happened } = browserWith();
    expect(await subscribeToPush({ registration, publicKey })).toEqual(JSON_OF_SUBSCRIPTION);
    expect(happened).toEqual([`subscribe true ${publicKey}`]);
  });

  it('keeps a subscription with the same key', async () => {
    const { registration, happened } = browserWith(publicKey);
    expect(await subscribeToPush({ registration, publicKey })).toEqual(JSON_OF_SUBSCRIPTION);
    expect(happened).toEqual([]);
  });

  it('replaces one with another key', async () => {
    const { registration, happened } = browserWith(createECDH('prime256v1').generateKeys('base64url'));
    await subscribeToPush({ registration, publicKey });
    expect(happened).toEqual(['unsubscribe', `subscribe true ${publicKey}`]);
  });

  it.each(['', 'abc', `${publicKey}=`, `${publicKey.slice(0, -1)}+`])(
    'refuses a key that is not one: %#',
    async key => {
      const { registration, happened } = browserWith();
      await expect(subscribeToPush({ registration, publicKey: key })).rejects.toMatchObject({
        code: 'MSG_INVALID_ARGUMENT',
        message: 'publicKey must be 65 bytes in base64url, 87 characters',
      });
      expect(happened).toEqual([]);
    },
  );

  it('says so where the browser has no push messages', async () => {
    await expect(subscribeToPush({ registration: {}, publicKey })).rejects.toMatchObject({
      code: 'MSG_INVALID_ARGUMENT',
      message:
        'this browser has no push messages here: they need HTTPS, and on iOS a page on the home screen',
    });
  });
});
