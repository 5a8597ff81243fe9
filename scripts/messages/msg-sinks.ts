import { generateVapidKeys, type Sink, terminal, WebPushSink } from '@msg/server';

/** A sink that rejects every message, and reads no stored recipient. */
export const rejecting: Sink = {
  name: 'rejecting',
  send: () => Promise.reject(terminal(new Error('the address does not exist'))),
  decodeRecipient: () => {
    throw new Error('not a recipient');
  },
};

/** A push service at which every subscription has ended. */
export const gone = new WebPushSink({
  name: 'push',
  vapidSubject: 'mailto:ops@example.com',
  vapidPrivateKey: generateVapidKeys().privateKey,
  fetch: async () => ({ status: 410, body: null, retryAfter: undefined }),
});
/** A subscription; its keys are those of RFC 8291, appendix A. */
export const SUBSCRIPTION = {
  endpoint: 'https://push.example.com/wpush/v2/7',
  keys: {
    p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
    auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  },
};
