import { describe, expect, it } from 'vitest';
import { isPublicAddress } from '#src/notify/sinks/webhook/public-address.ts';
import { checkedRecipient, redactedRecipient } from '#src/notify/sinks/webpush/recipient.ts';
import { Subscription } from '../support/push-service.ts';

const { recipient } = new Subscription('https://push.example.com');
const rules = { services: [], isAllowed: isPublicAddress };
const { p256dh, auth } = recipient.keys;
/** Not on the curve: another last byte of the ordinate. */
const beside = Buffer.from(p256dh, 'base64url');
beside[64] = (beside[64] ?? 0) ^ 1;

describe('the recipient of a push message', () => {
  it('is the JSON of a subscription, with how its messages are sent', () => {
    const checked = checkedRecipient({ ...recipient, ttl: 60, urgency: 'high', topic: 'order-7' }, rules);
    expect(checked).toMatchObject({ ttl: 60, urgency: 'high', topic: 'order-7' });
    expect([checked.keys.p256dh.length, checked.keys.auth.length]).toEqual([65, 16]);
  });

  it('may have its base64 padded', () => {
    expect(
      checkedRecipient({ ...recipient, keys: { p256dh: `${p256dh}=`, auth: `${auth}==` } }, rules),
    ).toBeDefined();
  });

  it.each<[unknown, string]>([
    [null, 'the recipient must be the JSON of a push subscription: {endpoint, keys: {p256dh, auth}}'],
    ['x', 'the recipient must be the JSON of a push subscription: {endpoint, keys: {p256dh, auth}}'],
    [
      { ...recipient, endpoint: undefined },
      "the recipient's endpoint must be a URL of at most 2048 characters",
    ],
    [{ ...recipient, endpoint: 'push' }, "the recipient's endpoint must be a URL of at most 2048 characters"],
    [
      { ...recipient, endpoint: `https://push.example.com/${'a'.repeat(2048)}` },
      "the recipient's endpoint must be a URL of at most 2048 characters",
    ],
    [{ ...recipient, endpoint: 'http://push.example.com/x' }, "the recipient's endpoint must be https"],
    [
      { ...recipient, endpoint: 'https://ann:pw@push.example.com/x' },
      "the recipient's endpoint must not hold credentials",
    ],
    [
      { ...recipient, endpoint: 'https://169.254.169.254/latest' },
      "the recipient's endpoint must lead to public addresses only; allow_private of the sink allows others",
    ],
    [
      { ...recipient, endpoint: 'https://[::ffff:10.0.0.1]/x' },
      "the recipient's endpoint must lead to public addresses only; allow_private of the sink allows others",
    ],
    [{ ...recipient, keys: 'x' }, "the recipient's keys must be an object with p256dh and auth"],
    [{ ...recipient, keys: { auth } }, "the recipient's keys.p256dh must be 65 bytes in base64url"],
    [
      { ...recipient, keys: { p256dh: auth, auth } },
      "the recipient's keys.p256dh must be 65 bytes in base64url",
    ],
    [
      { ...recipient, keys: { p256dh: beside.toString('base64url'), auth } },
      "the recipient's keys.p256dh must be a point of the curve P-256",
    ],
    [
      { ...recipient, keys: { p256dh, auth: p256dh } },
      "the recipient's keys.auth must be 16 bytes in base64url",
    ],
    [
      { ...recipient, keys: { p256dh, auth: 'a b' } },
      "the recipient's keys.auth must be 16 bytes in base64url",
    ],
    [{ ...recipient, ttl: -1 }, "the recipient's ttl must be whole seconds from 0 to 2419200"],
    [{ ...recipient, ttl: 1.5 }, "the recipient's ttl must be whole seconds from 0 to 2419200"],
    [{ ...recipient, ttl: 2_419_201 }, "the recipient's ttl must be whole seconds from 0 to 2419200"],
    [{ ...recipient, urgency: 'now' }, "the recipient's urgency must be one of very-low, low, normal, high"],
    [{ ...recipient, topic: '' }, "the recipient's topic must be at most 32 characters of base64url"],
    [
      { ...recipient, topic: 'a'.repeat(33) },
      "the recipient's topic must be at most 32 characters of base64url",
    ],
    [{ ...recipient, topic: 'ä' }, "the recipient's topic must be at most 32 characters of base64url"],
  ])('is refused: %#', (given, text) => {
    expect(() => checkedRecipient(given, rules)).toThrow(text);
  });

  it.each([
    ['push.example.com', true],
    ['PUSH.example.com', true],
    ['*.example.com', true],
    ['example.com', false],
    ['*.push.example.com', false],
    ['*.ample.com', false],
  ])('with the services %s: %s', (pattern, isTaken) => {
    const check = () => checkedRecipient(recipient, { ...rules, services: [pattern] });
    if (isTaken) expect(check()).toBeDefined();
    else expect(check).toThrow("the recipient's endpoint has a host that is not one of the sink's services");
  });

  it('is shown by its host and last characters', () => {
    const shown = redactedRecipient(recipient);
    expect(shown).toEqual({ endpoint: `https://push.example.com/…${recipient.endpoint.slice(-6)}` });
    expect(redactedRecipient('x')).toEqual({ endpoint: '…' });
  });
});
