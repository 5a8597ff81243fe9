import { createECDH } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encrypted, MAX_PLAINTEXT_BYTES } from '#src/notify/sinks/webpush/encryption.ts';
import { Subscription } from '../support/push-service.ts';

const bytes = (text: string): Buffer => Buffer.from(text, 'base64url');

describe('the body of a push message', () => {
  it('is that of RFC 8291, appendix A', () => {
    const sender = createECDH('prime256v1');
    sender.setPrivateKey('yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw', 'base64url');
    const body = encrypted(
      Buffer.from('When I grow up, I want to be a watermelon'),
      {
        p256dh: bytes(
          'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
        ),
        auth: bytes('BTBZMqHH6r4Tts7J_aSIgg'),
      },
      { salt: bytes('DGv6ra1nlYgDCS1FRnbzlw'), sender },
    );
    expect(body.toString('base64url')).toBe(
      'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
    );
  });

  it('is decrypted by the browser, whatever the message, 1,000 times', () => {
    const messages = fc.uint8Array({ maxLength: MAX_PLAINTEXT_BYTES });
    fc.assert(
      fc.property(messages, message => {
        const subscription = new Subscription('https://push.example.com');
        const { p256dh, auth } = subscription.recipient.keys;
        const body = encrypted(Buffer.from(message), { p256dh: bytes(p256dh), auth: bytes(auth) });
        expect(body.length).toBeLessThanOrEqual(4096);
        expect(subscription.decryptedBytes(body).equals(message)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('has at most 4,096 bytes, with a text of 3,993', () => {
    expect(MAX_PLAINTEXT_BYTES).toBe(3993);
    const { p256dh, auth } = new Subscription('https://push.example.com').recipient.keys;
    const body = encrypted(Buffer.alloc(MAX_PLAINTEXT_BYTES), { p256dh: bytes(p256dh), auth: bytes(auth) });
    expect(body.length).toBe(4096);
  });

  it('has another salt and another key each time', () => {
    const { p256dh, auth } = new Subscription('https://push.example.com').recipient.keys;
    const bodies = [1, 2].map(() =>
      encrypted(Buffer.from('same'), { p256dh: bytes(p256dh), auth: bytes(auth) }),
    );
    const [first, second] = bodies as [Buffer, Buffer];
    expect(first.subarray(0, 16)).not.toEqual(second.subarray(0, 16));
    expect(first.subarray(21, 86)).not.toEqual(second.subarray(21, 86));
  });
});
