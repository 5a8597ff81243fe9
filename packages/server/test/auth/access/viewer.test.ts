import type { DlqItem } from '@msg/core';
import { afterEach, describe, expect, test } from 'vitest';
import { maskedRecipient, maskedText } from '#src/auth/access/masked.ts';
import { type Embedded, embed, stopEmbedded } from '../../support/embedded.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, stockClient } from '../../support/stock-client.ts';

const SECRET = 'the-words-of-a-message';
const CHANNEL = 'public:viewer.a';
const KEYS = { viewer: 'key-of-a-viewer-of-the-shop', operator: 'key-of-an-operator-of-the-shop' } as const;

afterEach(async () => {
  closeClients();
  await stopEmbedded();
});

/** A service with a dead letter and a publication, and with a connection whose info is secret. */
async function stage(viewerPayloads = false): Promise<Embedded> {
  const service = await embed({
    viewerPayloads,
    api: { enabled: true },
    apiKeys: [
      { name: 'v', key: KEYS.viewer, role: 'viewer' },
      { name: 'o', key: KEYS.operator, role: 'operator' },
    ],
    channels: { rules: [{ pattern: 'public:viewer.**', presence: true }] },
    sinks: [
      {
        name: 'mail',
        send: () =>
          Promise.reject(new Error('550 ann.lee@example.com is unknown at https://mx.example.com/a?b=c')),
        decodeRecipient: recipient => recipient,
      },
    ],
    sinkRetry: { maxAttempts: 1 },
  });
  const { msg } = service;
  await msg.channels.openPublic(CHANNEL);
  await msg.publishOrSink(
    'public:viewer.b',
    SECRET,
    'mail',
    { address: 'ann.lee@example.com' },
    {
      subject: SECRET,
      body: SECRET,
      metadata: { word: SECRET },
    },
  );
  await msg.publish(CHANNEL, { text: SECRET });
  const client = stockClient(service.websocketUrl);
  client.newSubscription(CHANNEL).subscribe();
  client.connect();
  await client.ready(20_000);
  return service;
}

const lettersOf = async ({ url, msg }: Embedded, role: 'viewer' | 'operator'): Promise<DlqItem[]> => {
  const { token } = msg.tokens.issueManagement('ops', 0, { role });
  const { body } = await rpcOf(url, token)('DlqList', {});
  return body['items'] as DlqItem[]; // as the method answers
};

async function command({ url }: Embedded, role: keyof typeof KEYS, name: string): Promise<string> {
  const answer = await fetch(`${url}/api/${name}`, {
    method: 'POST',
    headers: { 'x-api-key': KEYS[role] },
    body: JSON.stringify({ channel: CHANNEL, limit: 10 }),
  });
  return answer.text();
}

describe('a viewer', () => {
  test('sees dead letters without message and with a masked recipient', async () => {
    const service = await stage();
    const [letter] = await lettersOf(service, 'viewer');
    expect(letter).toMatchObject({
      hidden: true,
      size: SECRET.length,
      recipient: { address: 'a…@example.com' },
      last_error: '550 a…@example.com is unknown at https://mx.example.com',
      subject: '',
      body: '',
      metadata: {},
      message: { subject: '', body: '', metadata: {} },
    });
    expect(JSON.stringify(letter)).not.toContain(SECRET);
    const [whole] = await lettersOf(service, 'operator');
    expect(whole).toMatchObject({ hidden: false, size: SECRET.length, body: SECRET });
    expect(whole?.recipient).toEqual({ address: 'ann.lee@example.com' });
  });

  test('reads a history of the HTTP API without payloads', async () => {
    const service = await stage();
    const hidden = await command(service, 'viewer', 'history');
    const size = JSON.stringify({ text: SECRET }).length;
    expect(hidden).toContain(`{"hidden":true,"size":${size},"offset":1}`);
    expect(hidden).not.toContain(SECRET);
    expect(await command(service, 'operator', 'history')).toContain(SECRET);
  });

  test('sees what an operator sees where the service says so', async () => {
    const service = await stage(true);
    expect(await lettersOf(service, 'viewer')).toEqual(await lettersOf(service, 'operator'));
    expect(await command(service, 'viewer', 'history')).toContain(SECRET);
  });
});

describe('a masked recipient', () => {
  test.each([
    ['ann.lee@example.com', 'a…@example.com'],
    ['https://hooks.example.com/T0/B1?key=x', 'https://hooks.example.com'],
    ['mailto://x', '…'],
    ['+49 171 1234567', '+…'],
    ['', ''],
  ])('%s', (text, masked) => {
    expect(maskedRecipient({ to: [text], n: 1 })).toEqual({ to: [masked], n: 1 });
  });

  test('leaves the words of an error', () => {
    expect(maskedText('connect ECONNREFUSED 10.0.0.1:25')).toBe('connect ECONNREFUSED 10.0.0.1:25');
  });
});
