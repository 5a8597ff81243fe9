import { execFile, execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { Browser, eventually, freePort, ShellProcess } from '@msg/testkit';
import type { Page } from 'playwright-core';
import { packAll } from '../../scripts/pack.ts';
import type { App, Measured } from './apps.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const PATH = `${resolve(process.execPath, '..')}:${process.env['PATH']}`;

/** Packages of ours come from tarballs: those of a registry would be of another version. */
function useTarballs(folder: string, tarballs: ReadonlyMap<string, string>): void {
  const path = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as { dependencies: Record<string, string> };
  const ours = [...tarballs].map(([name, file]) => [name, `file:${file}`] as const);
  const isDirect = (name: string): boolean => name in manifest.dependencies;
  const direct = Object.fromEntries(ours.filter(([name]) => isDirect(name)));
  const overrides = Object.fromEntries(ours.filter(([name]) => !isDirect(name)));
  const dependencies = { ...manifest.dependencies, ...direct };
  writeFileSync(path, JSON.stringify({ ...manifest, dependencies, overrides }));
}

/** Packages in an installed folder, by the lock file that npm wrote. */
function packagesIn(folder: string): number {
  const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, unknown>;
  };
  return Object.keys(lock.packages).filter(path => path !== '').length;
}

async function open(browser: Browser, url: string, user: string): Promise<Page> {
  const page = await browser.page();
  await page.context().addCookies([{ name: 'user', value: user, url }]);
  await page.goto(`${url}/?order=7`);
  return page;
}

const shows = (page: Page, status: string): Promise<void> =>
  eventually(`the page shows ${status}`, async () => (await page.textContent('#status')) === status);

/** The page's script as a server answers it, compressed alike for all. */
async function gzipBytes(address: string): Promise<number> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`${address} answers ${answer.status}`);
  return gzipSync(new Uint8Array(await answer.arrayBuffer()), { level: 9 }).length;
}

/** The way to the first delivery, and what a stranger sees of it. @returns bytes of the page's script, in gzip */
async function useApp(
  { commands: [, start, deliver], script }: App,
  folder: string,
  browsers: Browser[],
): Promise<number> {
  const port = await freePort();
  const url = `http://localhost:${port}`;
  const set = (status: string): unknown =>
    execFileSync('sh', ['-c', deliver.replace(':3000', `:${port}`).replace('paid', status)]);
  const answers = async (): Promise<boolean> => {
    try {
      return (await fetch(url)).ok;
    } catch {
      return false;
    }
  };
  const server = new ShellProcess(`exec ${start}`, { cwd: folder, env: { PATH, PORT: `${port}` } });
  try {
    await eventually('the server answers', answers, 60_000);
    const customer = await Browser.start();
    browsers.push(customer);
    const page = await open(customer, url, 'ada');
    await shows(page, 'ordered');
    await eventually('connected', async () => (await page.textContent('#connection')) === 'connected');
    set('paid');
    await shows(page, 'paid');

    const stranger = await Browser.start();
    browsers.push(stranger);
    const other = await open(stranger, url, 'eve');
    set('packed');
    await shows(page, 'packed');
    if ((await other.textContent('#status')) === 'packed') throw new Error('a stranger sees the order');
    return await gzipBytes(url + script);
  } finally {
    await server.stop();
  }
}

/** What is published, packed into a folder: by the name of the package, its tarball. */
export const packInto = (folder: string): ReadonlyMap<string, string> => packAll(ROOT, folder);

/**
 * Installs an app into an empty folder and uses it as its reader does, in Chromium.
 * @param tarballs of `packInto`
 */
export async function drive(app: App, tarballs: ReadonlyMap<string, string>): Promise<Measured> {
  const home = mkdtempSync(join(tmpdir(), 'msg-friendliness-'));
  const browsers: Browser[] = [];
  try {
    const folder = join(home, 'app');
    cpSync(join(import.meta.dirname, app.folder), folder, { recursive: true });
    useTarballs(folder, tarballs);
    await promisify(execFile)('sh', ['-c', `${app.commands[0]} --loglevel=error`], {
      cwd: folder,
      env: { ...process.env, PATH },
    });
    return { packages: packagesIn(folder), browserBytes: await useApp(app, folder, browsers) };
  } finally {
    for (const browser of browsers) await browser.stop();
    rmSync(home, { recursive: true, force: true });
  }
}
