import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Browser } from '@msg/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readGroups } from '../../docs/.vitepress/site/navigation.ts';
import { alive, equip } from '../support/page-visit.ts';
import { blocksOf, readPage } from '../support/pages.ts';
import { SITE, type SiteServer, serveSite, siteAddresses } from '../support/site.ts';

const textOf = (path: string): string => readFileSync(join(SITE, path), 'utf8');
const fileOf = (address: string, extension: string): string =>
  `${address.endsWith('/') ? `${address}index` : address}.${extension}`;

let site: SiteServer;
beforeAll(async () => {
  site = await serveSite();
});
afterAll(() => site.stop());

describe('the site for machines', () => {
  it.each(siteAddresses())('%s has a Markdown twin of the same content', address => {
    const twin = textOf(fileOf(address, 'md'));
    const html = textOf(fileOf(address, 'html'));
    expect(twin).toMatch(/^# \S/);
    expect(html.match(/<h[1-6] id=/g)).toHaveLength(
      twin.replaceAll(/^( *)```[\s\S]*?^\1```/gm, '').match(/^#{1,6} /gm)?.length ?? 0,
    );
    const shown = blocksOf(twin.replaceAll(/<!--[\s\S]*?-->/g, '')).length;
    expect(html.match(/<div class="language-/g) ?? []).toHaveLength(shown);
  });

  it('has no link in a twin that leads nowhere', () => {
    const missing = siteAddresses().flatMap(address => {
      const path = fileOf(address, 'md');
      const links = [...textOf(path).matchAll(/\]\(([^)\s:#]+\.md)(?:#[^)]*)?\)/g)];
      return links
        .map(([, href = '']) => href)
        .filter(href => !existsSync(href.startsWith('/') ? join(SITE, href) : join(SITE, path, '..', href)))
        .map(href => `${path} → ${href}`);
    });
    expect(missing).toEqual([]);
  });

  it('lists every page of the menu in llms.txt, by links that answer with Markdown', async () => {
    const index = await (await fetch(`${site.origin}/llms.txt`)).text();
    const links = [...index.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, href = '']) => href);
    expect(links).toHaveLength(readGroups().flatMap(({ pages }) => pages).length);
    for (const link of links) {
      const answer = await fetch(site.origin + link);
      expect([link, answer.status, answer.headers.get('content-type')]).toEqual([
        link,
        200,
        'text/markdown; charset=utf-8',
      ]);
      expect(textOf('llms-full.txt')).toContain(await answer.text());
    }
  });

  it('has the OpenAPI document', () => {
    expect(textOf('openapi.json')).toBe(readPage('docs/openapi.json'));
  });

  it.each(siteAddresses())('%s says what it is for, and has a picture', address => {
    const html = textOf(fileOf(address, 'html'));
    const [, description = ''] = /<meta name="description" content="([^"]*)"/.exec(html) ?? [];
    expect(description.length).toBeGreaterThan(5);
    const [, picture = ''] = /<meta property="og:image" content="([^"]*)"/.exec(html) ?? [];
    expect(existsSync(join(SITE, picture))).toBe(true);
  });

  it('copies a page as Markdown', { timeout: 60_000 }, async () => {
    const browser = await Browser.start();
    try {
      const page = await browser.page();
      await equip(page);
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
      await page.goto(`${site.origin}/quickstart`);
      await alive(page);
      await page.getByRole('button', { name: 'Copy as Markdown' }).click();
      await page.getByRole('status').getByText('Copied', { exact: true }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(textOf('quickstart.md'));
    } finally {
      await browser.stop();
    }
  });
});
