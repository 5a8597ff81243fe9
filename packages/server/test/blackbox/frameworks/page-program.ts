import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Browser, eventually, freePort, ShellProcess } from '@msg/testkit';
import { transformSync } from 'esbuild';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { type Block, blocksOf, ROOT, readPage } from '../../../../../test/support/pages.ts';

/** The most lines that the files of a page may have, without blank ones. */
const MOST_LINES = 60;
const PATIENCE_MS = 60_000;

const isFile = ({ words: [name = ''] }: Block): boolean => name.includes('.');

/** TypeScript with decorators, as the compiler of a NestJS project makes it; other files as they are. */
function compiled(name: string, text: string): readonly [name: string, text: string] {
  if (!name.endsWith('.ts')) return [name, text];
  const tsconfigRaw = { compilerOptions: { experimentalDecorators: true } };
  const { code } = transformSync(text, { loader: 'ts', format: 'esm', tsconfigRaw });
  return [name.replace(/ts$/, 'js'), code];
}

/** The program of a page about a web framework, running in a folder of its own. */
export class PageProgram {
  readonly #blocks: readonly Block[];
  readonly #folder: string;
  readonly #port: number;
  readonly #program: ShellProcess;

  private constructor(blocks: readonly Block[], folder: string, port: number, env: object) {
    this.#blocks = blocks;
    this.#folder = folder;
    this.#port = port;
    const command =
      this.#shell(/^node /)
        ?.text.trim()
        .replace(/^node/, `exec "${process.execPath}"`) ?? '';
    this.#program = new ShellProcess(command, {
      cwd: folder,
      env: { NODE_OPTIONS: '--conditions=msg-source --disable-warning=ExperimentalWarning', ...env },
    });
  }

  /** @param folder where its packages are installed; absent: those of the repository, in a new folder */
  static async start(page: string, { folder = '', env = {} } = {}): Promise<PageProgram> {
    const blocks = blocksOf(readPage(page));
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    const place = folder || mkdtempSync(join(ROOT, '.tmp/framework-'));
    const port = await freePort();
    for (const { words, text } of blocks.filter(isFile)) {
      const [name, code] = compiled(words[0] ?? '', text.replaceAll('8000', String(port)));
      mkdirSync(dirname(join(place, name)), { recursive: true });
      writeFileSync(join(place, name), code);
    }
    const program = new PageProgram(blocks, place, port, env);
    await program.#program.printed('stdout', /^http:\/\/localhost:\d+\n/m, 2 * PATIENCE_MS);
    return program;
  }

  get url(): string {
    return `http://localhost:${this.#port}`;
  }

  get lines(): number {
    const files = this.#blocks.filter(isFile).map(({ text }) => text);
    return files
      .join('\n')
      .split('\n')
      .filter(line => line.trim() !== '').length;
  }

  #shell(command: RegExp): Block | undefined {
    return this.#blocks.find(({ language, text }) => language === 'sh' && command.test(text));
  }

  /** Runs the call of the page; answers what it prints. */
  async order(): Promise<string> {
    const { text = '' } = this.#shell(/^curl /) ?? {};
    const curl = new ShellProcess(text.replaceAll('8000', String(this.#port)), { cwd: this.#folder });
    await curl.succeeded();
    return curl.stdout.trim();
  }

  /** The first order is answered as the page says, and what comes is shown in the browser. */
  async shows(browser: Browser): Promise<{ readonly page: Page; readonly frames: string[] }> {
    expect(this.lines).toBeLessThanOrEqual(MOST_LINES);
    const { text: answer = '' } = this.#blocks.find(({ language }) => language === 'output') ?? {};
    expect(await this.order()).toBe(answer.trim());
    const page = await browser.page();
    const [frames, errors]: string[][] = [[], []];
    page.on('websocket', socket => socket.on('framesent', ({ payload }) => frames?.push(String(payload))));
    page.on('pageerror', error => errors?.push(String(error)));
    await page.goto(`${this.url}/`);
    await eventually(
      'an order is shown',
      async () => {
        await this.order();
        return (await page.locator('#orders li', { hasText: 'Paid' }).count()) > 0;
      },
      PATIENCE_MS,
      200,
    );
    expect(errors).toEqual([]);
    return { page, frames: frames ?? [] };
  }

  /** Ends it as an operator does; rejects when it does not end by itself. */
  async end(): Promise<void> {
    process.kill(this.#program.pid, 'SIGTERM');
    await this.#program.succeeded();
  }

  async stop(): Promise<void> {
    await this.#program.stop();
    if (this.#folder.includes('/framework-')) rmSync(this.#folder, { recursive: true, force: true });
  }
}
