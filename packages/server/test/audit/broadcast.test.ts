import { ManualClock } from '@msg/foundation/clock/testing';
import { Msg } from '@msg/server';
import { Centrifuge } from 'centrifuge';
import { afterEach, describe, expect, it } from 'vitest';
import { AuditBroadcast } from '#src/audit/broadcast.ts';
import type { AuditRecord } from '#src/audit/record.ts';
import { embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';

const CHANNEL = 'private:ops.audit.all';
afterEach(stopEmbedded);

describe('audit.channel', () => {
  it('has each record, for readers with a grant on it', async () => {
    const { msg, url, websocketUrl } = await embed({ audit: { channel: CHANNEL } });
    const scopes = [{ pattern: CHANNEL, verbs: ['subscribe'] as const }];
    const { access_token } = await msg.tokens.issueAccess({ subject: 'ann', scopes });
    const client = new Centrifuge(websocketUrl, { token: access_token });
    const records: Partial<AuditRecord>[] = [];
    const subscription = client.newSubscription(CHANNEL);
    subscription.on('publication', ({ data }) => void records.push(data));
    subscription.subscribe();
    client.connect();
    await subscription.ready(5000);
    const rpc = rpcOf(url, msg.tokens.issueManagement('ops').token);
    await rpc('OpenPublic', { name: 'public:shop.news' });
    await rpc('DeleteChannel', { name: 'public:shop.none' });
    await expect
      .poll(() => records)
      .toMatchObject([
        { actor: 'ops', method: 'OpenPublic', target: 'channel:public:shop.news', outcome: 'ok' },
        { method: 'DeleteChannel', outcome: 'MSG_CHANNEL_NOT_FOUND' },
      ]);
    const { body } = await rpc('AuditList', {});
    expect(new Set(body['records'] as object[])).toEqual(new Set(records));
    client.disconnect();
  });

  it('is refused when it is not private', async () => {
    for (const channel of ['public:ops.audit', 'ops', 'private:'])
      await expect(embed({ audit: { channel } })).rejects.toThrow(
        `audit.channel must be a private channel; got ${channel}`,
      );
  });

  it('is opened by the service, and kept open', async () => {
    const clock = new ManualClock();
    const msg = await Msg.start({ clock, audit: { channel: CHANNEL } });
    for (let hour = 0; hour < 3; hour++) await clock.advance(3_600_000);
    expect(await msg.channels.get(CHANNEL)).toMatchObject({ state: 'open', visibility: 'private' });
    await msg.stop();
  });

  it('opens again when it is gone; a record that cannot be published is told, and the next is tried', async () => {
    const [published, failures]: [string[], unknown[]] = [[], []];
    let isOpen = false;
    const broadcast = new AuditBroadcast({
      channel: CHANNEL,
      open: async () => {
        isOpen = true;
      },
      async publish(_channel, data) {
        if (!isOpen) throw new Error('the channel is gone');
        const { id } = JSON.parse(new TextDecoder().decode(data)) as AuditRecord;
        if (id === 'bad') throw new Error('refused');
        published.push(id);
      },
      onFailed: error => void failures.push(error),
    });
    for (const id of ['a', 'bad', 'b']) broadcast.add({ id } as AuditRecord);
    await broadcast.stop();
    expect([published, failures]).toEqual([['a', 'b'], [new Error('refused')]]);
  });
});
