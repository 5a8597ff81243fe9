import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MailServer } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTILE, harm, NO_HARM } from './hostile-texts.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/** Hostile texts in what the service, its operators and its mail server say, on every page that shows them. */
const PER_PAGE = 50;
const mail = new MailServer();
let service: Service;
let visit: Visit;

/** A reply of a mail server is one line of ASCII. */
const asciiLine = (text: string): string => text.replaceAll(/[^ -~]/g, '?');

beforeAll(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'msg-console-'));
  const config = join(folder, 'msg.json');
  const sinks = { orders: { kind: 'email', smtp_addr: await mail.listen(), from: 'shop@example.com' } };
  writeFileSync(
    config,
    JSON.stringify({ sinks, sink_retry: { max_attempts: 1 }, peers: HOSTILE, region: HOSTILE[1] }),
  );
  service = await Service.start({ args: ['--config', config, '--state-dir', folder] });
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
}, 180_000);
afterAll(async () => {
  await visit.stop();
  await service.stop();
  await mail.close();
});

/** Opens a page, waits for a text of it, and expects that nothing ran and nothing was made. */
async function expectText(path: string, shown: string): Promise<void> {
  await visit.open(path);
  await visit.until(`${shown} on ${path}`, async () =>
    ((await visit.page.locator('body').textContent()) ?? '').includes(shown),
  );
  await visit.settles();
  expect([path, await harm(visit)]).toEqual([path, NO_HARM]);
}

it('errors of a sink and dead letters are text: recipient, subject, body and metadata', async () => {
  for (const text of HOSTILE) {
    mail.fault = { stage: 'rcpt', does: { code: 550, text: asciiLine(text) } };
    await service.rpc.call('PublishOrSink', {
      name: 'public:shop.nobody',
      sink: 'orders',
      recipient: { address: 'ann@example.com', note: text },
      message: { subject: text, body: text, metadata: new Map([[text, text]]) },
    });
  }
  const { items } = await service.rpc.call('DlqList', { sink: 'orders', limit: 200 });
  expect(items).toHaveLength(HOSTILE.length);
  const hostile = items.filter(({ last_error }) => last_error.includes('hit=1'));
  expect(hostile.length).toBeGreaterThan(100);
  await expectText('sinks', 'hit=1');
  await expectText('dead-letters/orders?size=200', 'hit=1');
  for (const { id } of items.filter((_, at) => at % 10 === 0)) {
    await expectText(`dead-letters/orders?open=${id}`, 'attempt 1');
    await visit.button('Edit…').click();
    await visit.page.locator('#edit-body').waitFor();
    expect([id, await harm(visit)]).toEqual([id, NO_HARM]);
  }
}, 300_000);

it('descriptions and members of a schema are text', async () => {
  for (const [at, text] of HOSTILE.entries()) {
    const pattern = `public:shop.hostile.s${at}`;
    const properties = { [text]: { type: 'string', description: text } };
    const payload_schema = { type: 'object', description: text, properties };
    const schema = { pattern, description: text, aspects: { status: { payload_schema } } };
    await service.rpc.call('RegisterSchema', { schema });
  }
  await expectText('schemas', 'hit=1');
  for (let at = 0; at < HOSTILE.length; at += 10)
    await expectText(`schemas/${encodeURIComponent(`public:shop.hostile.s${at}`)}`, 'hit=1');
}, 300_000);

it('subjects and reasons are text in the audit, and as holders of a key', async () => {
  for (const text of HOSTILE) {
    const { mgmt_token: token } = await service.rpc.call('IssueMgmt', { subject: text, role: 'operator' });
    await service
      .rpcOf(token)
      .call('RevokeToken', { token_id: 'none', user_id: text, reason: text.slice(0, 60) });
  }
  for (let seen = 0, cursor = ''; seen < HOSTILE.length; seen += PER_PAGE) {
    await expectText(`audit?size=50&cursor=${encodeURIComponent(cursor)}`, 'hit=1');
    cursor = (await service.rpc.call('AuditList', { limit: PER_PAGE, cursor })).next_cursor;
  }
  await expectText('audit?size=200', 'hit=1');
  await expectText('', 'hit=1');
  const [{ kid } = { kid: '' }] = (await service.rpc.call('KeyUsage', {})).keys;
  await expectText(`keys?key=${kid}`, 'hit=1');
}, 300_000);

it('claims of a token are text, wherever they stand in it', async () => {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  await visit.open('tokens');
  for (const text of HOSTILE) {
    const claims = {
      sub: text,
      iss: text,
      aud: text,
      jti: text,
      typ: 'access',
      scopes: [{ pat: text, v: [text], deny: false }],
      exp: 4_000_000_000,
      iat: 1_700_000_000,
    };
    await visit.page.locator('#token-text').fill(`${part({ alg: text, kid: text })}.${part(claims)}.AAAA`);
    await visit.page.locator('.panel').getByText('Revoke this token').first().waitFor();
    expect([text, await harm(visit)]).toEqual([text, NO_HARM]);
  }
}, 300_000);

it('settings are text, and so is the label of the deployment', async () => {
  await expectText('configuration', 'hit=1');
  await expectText('configuration?only=all&q=peers', 'hit=1');
  await expectText('configuration?tab=limits', 'Unlimited');
});
