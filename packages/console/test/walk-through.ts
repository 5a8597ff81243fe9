import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Service } from './service.ts';
import type { Visit } from './visit.ts';

const PAGE = join(import.meta.dirname, '../../../docs/console.md');
const SECTION = 'A listener gets nothing';

/** One way of docs/console.md to a cause: what is clicked, and what the page says at the end. */
export interface Way {
  readonly cause: string;
  readonly clicks: readonly string[];
  readonly says: readonly string[];
}

function sectionsOf(text: string, marks: string): readonly string[] {
  return text.split(new RegExp(`^${marks} `, 'm')).slice(1);
}

/** The ways as the page tells them: what is bold is clicked, what the last step has in quotes is seen. */
export function documentedWays(): readonly Way[] {
  const section = sectionsOf(readFileSync(PAGE, 'utf8'), '##').find(text => text.startsWith(SECTION)) ?? '';
  return sectionsOf(section, '###').map(text => {
    const steps = text.match(/^\d\. .*$/gm) ?? [];
    const last = steps.at(-1) ?? '';
    return {
      cause: text.slice(0, text.indexOf('\n')),
      clicks: steps.map(step => /\*\*(.+?)\*\*/.exec(step)?.[1] ?? ''),
      says: Array.from(last.matchAll(/"(.+?)"|`(.+?)`/g), ([, quoted, code]) => quoted ?? code ?? ''),
    };
  });
}

/** Three users who hear nothing, each for a reason of their own. */
export async function seedListeners(service: Service): Promise<void> {
  await service.fill('public:shop.news', '{"text":"Open on Sunday"}');
  await service.fill('public:shop.new');
  await service.rpc.call('CreatePrivate', { name: 'private:shop.order.7' });
  await service.rpc.call('CloseChannel', { name: 'public:shop.news' });
  await service.connect(await service.accessOf('cora'), 'public:shop.news');
  await service.connect(await service.accessOf('gwen', 'private:shop.parcel.*'), 'private:shop.order.7');
  await service.connect(await service.accessOf('omar'), 'public:shop.new');
}

/** Goes a way from the overview by clicks alone, but for an id that is copied and pasted. @returns the clicks */
export async function walk(visit: Visit, { clicks }: Way): Promise<number> {
  const { page } = visit;
  const content = page.locator('#content');
  const connection = content.locator('a[href*="connections/"]').first();
  let copied = '';
  let count = 0;
  await visit.open('');
  await visit.settles();
  for (const name of clicks) {
    const isConnection = name === 'The connection';
    const target = isConnection
      ? connection
      : page
          .getByRole('link', { name, exact: true })
          .or(page.getByRole('tab', { name, exact: true }))
          .first();
    await target.click();
    count++;
    await visit.settles();
    if (!isConnection && (await connection.isVisible()))
      copied = decodeURIComponent((await connection.getAttribute('href'))?.split('/').at(-1) ?? '');
    if (name === 'Who may') {
      await page.locator('#who-token').fill(copied);
      await page.keyboard.press('Enter');
    }
  }
  return count;
}
