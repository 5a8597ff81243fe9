import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service } from './service.ts';
import type { Visit } from './visit.ts';

const CHANNEL = encodeURIComponent('public:shop.parcels');
/** A schema of the channels of orders. */
export const SCHEMA = { pattern: 'public:shop.order.{id}', aspects: { status: {} } };

/** A service with something on every page. */
export interface Furnished {
  readonly service: Service;
  /** An access token. */
  readonly token: string;
  /** Addresses of pages that have something to act on, and of some that are empty. */
  readonly pages: readonly string[];
}

export async function furnished(): Promise<Furnished> {
  const service = await Service.configured(
    'sinks:\n  orders: { kind: webhook, url: "http://127.0.0.1:9/hook" }\n',
    ['--private-sink-urls', '--state-dir', mkdtempSync(join(tmpdir(), 'msg-console-'))],
  );
  await service.park('orders', 'http://127.0.0.1:9/u-1', { order: 1 });
  await service.fill('public:shop.parcels', '{"parcel":1}');
  await service.rpc.call('OpenPublic', { name: 'public:shop.old' });
  await service.rpc.call('CloseChannel', { name: 'public:shop.old' });
  await service.rpc.call('RegisterSchema', { schema: SCHEMA });
  await service.rpc.call('CreateApiKey', { name: 'shop' });
  const token = await service.accessOf('u-9');
  await service.connect(token, 'public:shop.parcels');
  const { kid = '' } = (await service.rpc.call('KeyUsage', {})).keys[0] ?? {};
  const { client = '' } = (await service.rpc.call('ListConnections', {})).connections[0] ?? {};
  const { id = '' } = (await service.rpc.call('DlqList', { sink: 'orders', limit: 1 })).items[0] ?? {};
  const pages = [
    '',
    'channels?pattern=public:shop.**&state=open&sort=subscribers&order=down',
    'channels?pattern=public:none.**',
    `channels/${CHANNEL}?open=1`,
    `channels/${CHANNEL}?tab=presence`,
    `channels/${CHANNEL}?tab=who`,
    'channels/public%3Ashop.old',
    'connections?user=u-9&sort=queue_bytes',
    'connections?user=none',
    `connections/${client}`,
    'users',
    'users?q=none',
    'users/u-9',
    'sinks',
    `dead-letters/orders?open=${id}`,
    'dead-letters/none',
    'tokens',
    'tokens?tab=api-keys',
    `keys?key=${kid}`,
    'schemas',
    `schemas/${encodeURIComponent(SCHEMA.pattern)}`,
    'configuration',
    'configuration?tab=limits',
    'audit?actor=operator&via=console',
  ];
  return { service, token, pages };
}

/** Opens a page, then every dialog that its buttons open, and looks at each. */
export async function eachDialog(
  visit: Visit,
  path: string,
  look: (within: '#content' | 'dialog[open]') => Promise<void>,
): Promise<void> {
  await visit.open(path);
  await visit.settles();
  await look('#content');
  const buttons = visit.page.locator('#content button[aria-disabled="false"]', { hasText: '…' });
  const count = await buttons.count();
  for (let at = 0; at < count; at++) {
    if (!(await buttons.nth(at).isVisible())) await visit.button('More actions').click();
    await buttons.nth(at).click();
    await visit.page.locator('dialog[open]').waitFor();
    await look('dialog[open]');
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
}
