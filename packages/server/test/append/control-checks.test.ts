import type { AppendWriter } from '@msg/core';
import { ManualClock } from '@msg/foundation/clock/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { closeClients, stockClient } from '../support/stock-client.ts';

const CHAT = 'public:app.chat.7';
const CHANNEL = `${CHAT}.r1`;
const CONTROL = `${CHAT}.control`;
const CANCEL = { cancel: { channel: CHANNEL } };

afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

let stream: AppendWriter;

type Settings = Parameters<typeof embed>[0];

/** A service with one open message. */
async function start(appendControl: boolean, settings: Settings = {}): Promise<Embedded> {
  const rule = { pattern: 'public:app.chat.**', append: true, appendWindowMs: 0, appendControl };
  const channels = { rules: [rule], open: [{ pattern: 'public:app.**' }] };
  const service = await embed({ channels, ...settings });
  stream = await service.msg.appendStream(CHANNEL);
  await stream.write('so far');
  return service;
}

/** A connected client, with a token for these scopes or without one. */
async function clientOf(
  { msg, websocketUrl }: Embedded,
  scopes?: readonly { pattern: string; verbs: ('publish' | 'subscribe')[] }[],
) {
  const issued =
    scopes === undefined ? undefined : await msg.tokens.issueAccess({ subject: 'ann', scopes: [...scopes] });
  const client = stockClient(websocketUrl, issued && { token: issued.access_token });
  client.connect();
  await client.ready(20_000);
  return client;
}

const codeOf = (sent: Promise<unknown>): Promise<unknown> =>
  sent.then(
    () => 'ok',
    (error: { code: number }) => error.code,
  );

describe('a command to a control name', () => {
  it('of a public channel needs a grant as any other', async () => {
    const service = await start(true);
    for (const client of [
      await clientOf(service),
      await clientOf(service, [{ pattern: CHANNEL, verbs: ['publish', 'subscribe'] }]),
    ])
      expect(await codeOf(client.publish(CONTROL, CANCEL))).toBe(103);
    const allowed = await clientOf(service, [{ pattern: CONTROL, verbs: ['publish'] }]);
    expect(stream.signal.aborted).toBe(false);
    expect(await codeOf(allowed.publish(CONTROL, CANCEL))).toBe('ok');
    expect(stream.signal.reason).toMatchObject({ reason: 'cancelled', meta: { by: 'ann' } });
  });

  it('with a grant that has expired is refused as any publication is', async () => {
    const clock = new ManualClock(Date.now());
    const service = await start(true, { clock });
    const client = await clientOf(service, [{ pattern: CONTROL, verbs: ['publish'] }]);
    clock.jump(2 * 3_600_000);
    expect(await codeOf(client.publish(CONTROL, CANCEL))).toBe(109);
    expect(stream.signal.aborted).toBe(false);
  });

  it('is counted by the rate limit of client publishes, after its shape and before its grant', async () => {
    const publish = { rate: 1, perMs: 60_000, burst: 0 };
    const client = await clientOf(await start(true, { rateLimits: { publish } }), [
      { pattern: CHANNEL, verbs: ['subscribe'] },
    ]);
    const codes: unknown[] = [];
    for (const command of [{}, CANCEL, CANCEL, {}])
      codes.push(await codeOf(client.publish(CONTROL, command)));
    expect(codes).toEqual([107, 103, 111, 107]);
  });

  it('is an ordinary publication to a channel of that name where the option is off', async () => {
    const service = await start(false);
    const client = await clientOf(service, [{ pattern: CONTROL, verbs: ['publish'] }]);
    await service.msg.channels.openPublic(CONTROL);
    expect(await codeOf(client.publish(CONTROL, CANCEL))).toBe('ok');
    expect(await stream.complete()).toMatchObject({ status: 'complete' });
    expect(stream.signal.aborted).toBe(false);
  });

  it('cannot be subscribed to, and no client tries it again', async () => {
    const client = await clientOf(await start(true), [{ pattern: CONTROL, verbs: ['subscribe'] }]);
    const subscription = client.newSubscription(CONTROL);
    const ended = new Promise<number>(resolve =>
      subscription.on('unsubscribed', ({ code }) => resolve(code)),
    );
    subscription.subscribe();
    expect(await ended).toBe(102);
  });
});
