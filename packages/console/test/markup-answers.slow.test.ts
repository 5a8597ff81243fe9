import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebhookReceiver } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { HOSTILE, harm, NO_HARM } from './hostile-texts.ts';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

/**
 * Every text of every answer is hostile, on every page: also texts that no name or pattern of the service may have, as a page must
 * not rely on what its server lets in.
 */
const CHANNEL = 'public:shop.hostile';
/** Members whose values are words of the protocol, times, or what the page asks with. */
const WORDS =
  /^(?:state|visibility|verdict|alg|kind|transport|encoding|role|via|source|severity|phase|epoch|direction|tag|effect|outcome|next_cursor|feed|access_token|value|since|at|wait_until|.*_at|.*_unix|last_active|last_seen|oldest|newest|as_of)$/;
/** Rows that a list is made longer to. */
const ROWS = 120;

let service: Service;
let visit: Visit;
let pages: readonly string[] = [];
let next = 0;
/** Texts that went to the page which is open. */
const sent = new Set<string>();
const hook = new WebhookReceiver({ status: 503 });

function hostileText(): string {
  const text = HOSTILE[next++ % HOSTILE.length] ?? '';
  sent.add(text);
  return text;
}

/** The answer with another text in the place of each one. */
function hostile(value: unknown, member = ''): unknown {
  if (typeof value === 'string') return WORDS.test(member) || value === '' ? value : hostileText();
  if (Array.isArray(value)) {
    const rows = value.length === 0 ? [] : Array.from({ length: ROWS }, (_, at) => value[at % value.length]);
    return rows.map(row => hostile(row, member));
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, hostile(inner, name)]));
}

beforeAll(async () => {
  const destination = await hook.listen();
  service = await Service.configured(
    `sinks:\n  orders: { kind: webhook, url: "${destination}/hook" }\nsink_retry: { max_attempts: 1 }\nchannels:\n  rules:\n    - { pattern: "public:**", presence: true }\n`,
    ['--private-sink-urls', '--state-dir', mkdtempSync(join(tmpdir(), 'msg-console-'))],
  );
  await service.fill(CHANNEL, '{"text":"one"}', '{"text":"two"}');
  await service.park('orders', `${destination}/u-1`, { order: 1 });
  await service.connect(await service.accessOf('u-9', 'public:shop.**'), CHANNEL);
  const { client = '' } = (await service.rpc.call('ListConnections', { user: 'u-9' })).connections[0] ?? {};
  const { id = '' } = (await service.rpc.call('DlqList', { sink: 'orders', limit: 1 })).items[0] ?? {};
  const { kid = '' } = (await service.rpc.call('KeyUsage', {})).keys[0] ?? {};
  const pattern = 'public:shop.order.{id}';
  await service.rpc.call('RegisterSchema', { schema: { pattern, aspects: { status: {} } } });
  await service.rpc.call('CreateApiKey', { name: 'shop', role: 'viewer' });
  const channel = `channels/${encodeURIComponent(CHANNEL)}`;
  pages = [
    '',
    'channels',
    channel,
    `${channel}?open=1`,
    `${channel}?tab=presence`,
    'connections',
    `connections/${client}`,
    'users',
    'users/u-9',
    'sinks',
    'dead-letters/orders',
    `dead-letters/orders?open=${id}`,
    'tokens?tab=api-keys',
    'keys',
    `keys?key=${kid}`,
    'schemas',
    `schemas/${encodeURIComponent(pattern)}`,
    'configuration?only=all',
    'configuration?tab=limits',
    'audit',
  ];
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
  await visit.page.route(/\/twirp\//, async route => {
    // A page that is left takes no answer.
    const answer = await route.fetch({ maxRetries: 3 }).catch(() => undefined);
    if (answer === undefined) return route.continue().catch(() => {});
    await route.fulfill({ response: answer, json: hostile(await answer.json()) }).catch(() => {});
  });
}, 180_000);
afterAll(async () => {
  await visit.page.unrouteAll({ behavior: 'ignoreErrors' });
  await visit.stop();
  await service.stop();
  await hook.close();
});

it('no text of an answer does anything on any page, nor does one make a page fail', async () => {
  const shown = new Set<string>();
  for (const path of pages) {
    visit.complaints.length = 0;
    sent.clear();
    // Each of the texts is in an answer to this page.
    for (let visits = 0; visits < 10 && sent.size < HOSTILE.length; visits++) {
      await visit.open(path);
      await visit.settles();
      expect([path, await harm(visit)]).toEqual([path, NO_HARM]);
    }
    expect([path, sent.size]).toEqual([path, HOSTILE.length]);
    if (((await visit.page.locator('#content').textContent()) ?? '').includes('hit=1')) shown.add(path);
  }
  // Each page shows the text that it was sent; without it the case would prove nothing. The page of the limits shows only
  // words of the program.
  expect(pages.filter(path => !shown.has(path))).toEqual(['configuration?tab=limits']);
}, 600_000);

it('patterns of the options of a channel are text', async () => {
  visit.complaints.length = 0;
  await visit.open(`channels/${encodeURIComponent(CHANNEL)}`);
  await visit.page.locator('details.panel summary').click();
  const cells = visit.page.locator('details table tbody td');
  await visit.until('a hostile pattern', async () =>
    (await cells.allTextContents()).some(text => text.includes('hit=1')),
  );
  expect(await harm(visit)).toEqual(NO_HARM);
});
