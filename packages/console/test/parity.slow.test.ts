import { execFile } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cleanEnv, MSG_BIN } from '@msg/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Service } from './service.ts';
import { Visit } from './visit.ts';

let service: Service;
let visit: Visit;
let token = '';
let pages: readonly string[] = [];

const CHANNEL = encodeURIComponent('public:shop.parcels');
const SCHEMA = { pattern: 'public:shop.order.{id}', aspects: { status: {} } };

beforeAll(async () => {
  service = await Service.configured(
    'sinks:\n  orders: { kind: webhook, url: "http://127.0.0.1:9/hook" }\n',
    ['--private-sink-urls', '--state-dir', mkdtempSync(join(tmpdir(), 'msg-console-'))],
  );
  await service.park('orders', 'http://127.0.0.1:9/u-1', { order: 1 });
  await service.fill('public:shop.parcels', '{"parcel":1}');
  await service.rpc.call('OpenPublic', { name: 'public:shop.old' });
  await service.rpc.call('CloseChannel', { name: 'public:shop.old' });
  await service.rpc.call('RegisterSchema', { schema: SCHEMA });
  await service.rpc.call('CreateApiKey', { name: 'shop' });
  token = await service.accessOf('u-9');
  await service.connect(token, 'public:shop.parcels');
  const { kid = '' } = (await service.rpc.call('KeyUsage', {})).keys[0] ?? {};
  const { client = '' } = (await service.rpc.call('ListConnections', {})).connections[0] ?? {};
  const { id = '' } = (await service.rpc.call('DlqList', { sink: 'orders', limit: 1 })).items[0] ?? {};
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
  pages = [
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
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

const shown = (within: string): Promise<string[]> =>
  visit.page.locator(`${within} .cmd code`).allInnerTexts();

/** The command lines of a page, and of every dialog that its buttons open. */
async function linesOf(path: string): Promise<string[]> {
  await visit.open(path);
  await visit.settles();
  const lines = await shown('#content');
  const buttons = visit.page.locator('#content button[aria-disabled="false"]', { hasText: '…' });
  const count = await buttons.count();
  for (let at = 0; at < count; at++) {
    if (!(await buttons.nth(at).isVisible())) await visit.button('More actions').click();
    await buttons.nth(at).click();
    await visit.page.locator('dialog[open]').waitFor();
    lines.push(...(await shown('dialog[open]')));
    await visit.page.keyboard.press('Escape');
    await visit.page.locator('dialog[open]').waitFor({ state: 'detached' });
  }
  return lines;
}

/** What the real program says to a line, where there is no server. */
function answerTo(line: string, folder: string): Promise<string> {
  // These go on: what they take is in their help.
  const whole = /^msg (?:subscribe|serve)\b/.test(line) ? `${line} --help` : line;
  const program = `'${process.execPath}' '${MSG_BIN}'${whole.replace(/^msg/, '')}`;
  const env = cleanEnv({ MSG_SERVER: 'http://127.0.0.1:9', MSG_TOKEN: token, HOME: folder });
  return new Promise(resolve => {
    const child = execFile('sh', ['-c', program], { cwd: folder, env }, (error, _stdout, stderr) => {
      const isNoAnswer = stderr.includes('MSG_BROKER_NOT_READY');
      resolve(error === null || isNoAnswer ? 'accepted' : stderr);
    });
    child.stdin?.end(token);
  });
}

it('every command that a page or a dialog shows is accepted by the program', async () => {
  const lines = new Set<string>();
  for (const page of pages) for (const line of await linesOf(page)) lines.add(line);
  const folder = mkdtempSync(join(tmpdir(), 'msg-console-'));
  writeFileSync(join(folder, 'schema.json'), JSON.stringify(SCHEMA));
  writeFileSync(join(folder, 'order.json'), JSON.stringify(SCHEMA));
  writeFileSync(join(folder, 'payload.bin'), '1');
  const refused: string[] = [];
  for (const line of lines) {
    expect(line).toMatch(/^msg /);
    const answer = await answerTo(line, folder);
    if (answer !== 'accepted') refused.push(`${line}: ${answer.split('\n')[0]}`);
  }
  console.log(`console: ${lines.size} commands of ${pages.length} pages`);
  expect(lines.size).toBeGreaterThan(40);
  expect(refused).toEqual([]);
}, 300_000);
