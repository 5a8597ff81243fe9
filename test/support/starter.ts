import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { freePort, ShellProcess } from '@msg/testkit';
import type { PageName, TemplateName } from 'create-msg-app';
import type { Page } from 'playwright-core';
import { publicPackages, readManifest } from '../../scripts/packages.ts';
import { ROOT } from './pages.ts';

/** The folder of a test has no Node of its own: use the one that runs this. */
const PATH = `${resolve(process.execPath, '..')}:${process.env['PATH']}`;

/** Runs a command line to its end. Rejects with its output when it fails. */
export async function done(command: string, cwd: string): Promise<ShellProcess> {
  const child = new ShellProcess(command, { cwd, env: { PATH } });
  await child.succeeded();
  return child;
}

/** The tarballs of all published packages, by name, and a folder to create apps in. */
export class Starter {
  readonly home: string;
  readonly #tarballs: ReadonlyMap<string, string>;

  private constructor(home: string, tarballs: ReadonlyMap<string, string>) {
    this.home = home;
    this.#tarballs = tarballs;
  }

  /** Packs what is published. @param home an empty folder */
  static async pack(home: string): Promise<Starter> {
    const { stdout } = await done(`npm run --silent pack -- ${join(home, 'tarballs')}`, ROOT);
    const files = stdout.trim().split('\n');
    const names = publicPackages(ROOT).map(folder => readManifest(ROOT, folder).name);
    return new Starter(home, new Map(names.map((name, index) => [name, files[index] ?? ''])));
  }

  /** What `npm create msg-app <name>` does, with the packed `create-msg-app`. */
  async create(name: string, template: TemplateName, page: PageName): Promise<StarterApp> {
    const program = `npm exec --yes --loglevel=error --package "${this.#tarballs.get('create-msg-app')}" -- create-msg-app`;
    await done(`${program} ${name} --template ${template} --page ${page}`, this.home);
    return new StarterApp(join(this.home, name), this.#tarballs);
  }
}

/** One app: a folder that a newcomer has in front of him. */
export class StarterApp {
  readonly folder: string;
  readonly #tarballs: ReadonlyMap<string, string>;

  constructor(folder: string, tarballs: ReadonlyMap<string, string>) {
    this.folder = folder;
    this.#tarballs = tarballs;
  }

  run(command: string): Promise<ShellProcess> {
    return done(command, this.folder);
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** Paths of what was written, below the folder. */
  files(): string[] {
    const entries = readdirSync(this.folder, { recursive: true, withFileTypes: true });
    return entries.filter(entry => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  }

  /** `npm install`, with our packages from their tarballs: nothing of them is on a registry. */
  async install(): Promise<void> {
    const path = join(this.folder, 'package.json');
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    const tarballs = [...this.#tarballs].map(([name, file]) => [name, `file:${file}`] as const);
    const isOwn = ([name]: readonly [string, string]) => name in manifest.dependencies;
    Object.assign(manifest.dependencies, Object.fromEntries(tarballs.filter(isOwn)));
    manifest.overrides = Object.fromEntries(tarballs.filter(entry => !isOwn(entry)));
    writeFileSync(path, JSON.stringify(manifest));
    await this.run('npm install --prefer-offline --no-audit --no-fund --loglevel=error');
  }

  /** Uses what another app has installed, which must be all that this one needs. */
  borrow(other: StarterApp): void {
    mkdirSync(this.folder, { recursive: true });
    symlinkSync(join(other.folder, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Starts the app on a free port by one of its scripts; answers when it says its address. */
  async start(script: 'run dev' | 'start'): Promise<RunningApp> {
    const port = await freePort();
    const env = { PATH, PORT: String(port) };
    const process = new ShellProcess(`exec npm --silent ${script}`, { cwd: this.folder, env });
    try {
      const [, url = ''] = await process.printed('stdout', /open (http:\S+)\n/);
      return { url, process };
    } catch (error) {
      await process.stop();
      throw error;
    }
  }
}

export interface RunningApp {
  readonly url: string;
  readonly process: ShellProcess;
}

/** Where tabs come from. */
export interface Tabs {
  page(): Promise<Page>;
}

/** What two people do in two tabs of one template, until the second one sees what the first one did. */
export const EXCHANGES: Readonly<
  Record<TemplateName, (tabs: Tabs, url: string) => Promise<readonly Page[]>>
> = {
  async chat(tabs, url) {
    const [ann, bob] = [await tabs.page(), await tabs.page()];
    for (const [page, name] of [
      [ann, 'ann'],
      [bob, 'bob'],
    ] as const) {
      await page.goto(url);
      await page.getByLabel('Your name').fill(name);
      await page.keyboard.press('Enter');
      await page.getByText('Live', { exact: true }).waitFor();
    }
    await ann.getByLabel('Your message').fill('hello');
    await ann.keyboard.press('Enter');
    await bob.getByRole('listitem').filter({ hasText: 'ann' }).getByText('hello').waitFor();
    for (const page of [ann, bob]) await page.getByText('ann, bob').waitFor();
    return [ann, bob];
  },
  async orders(tabs, url) {
    const [shop, customer] = [await tabs.page(), await tabs.page()];
    await customer.goto(url);
    await customer.getByText('Live', { exact: true }).waitFor();
    await shop.goto(`${url}/staff`);
    await shop.getByRole('button').focus();
    await shop.keyboard.press('Enter');
    await customer.locator('.done').getByText('Paid').waitFor();
    await shop.getByText('Published as number 1').waitFor();
    return [shop, customer];
  },
  async cursors(tabs, url) {
    const [ann, bob] = [await tabs.page(), await tabs.page()];
    for (const page of [ann, bob]) {
      await page.goto(url);
      await page.getByText('Live', { exact: true }).waitFor();
    }
    for (const page of [ann, bob]) await page.getByText('2 here').waitFor();
    await ann.getByRole('application').focus();
    await ann.keyboard.press('ArrowLeft');
    await bob
      .locator('.cursor')
      .getByText(/^Guest \d{3}$/)
      .waitFor();
    return [ann, bob];
  },
};
