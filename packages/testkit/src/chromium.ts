import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { chromiumOfRun } from './chromium-of-run.ts';
import { chromiumOptions } from './chromium-program.ts';

/** A real browser with a profile of its own: in the Chromium of the test run, if it has one, else a process. */
export class Browser {
  readonly #context: BrowserContext;
  readonly #release: () => Promise<void>;

  private constructor(context: BrowserContext, release: () => Promise<void>) {
    this.#context = context;
    this.#release = release;
  }

  /** @param flags further ones of the command line, for example how names resolve: such a browser is a process */
  static start(flags: readonly string[] = []): Promise<Browser> {
    const endpoint = chromiumOfRun();
    return endpoint === undefined || flags.length > 0 ? Browser.#launch(flags) : Browser.#connect(endpoint);
  }

  /** As people start it, for pictures that are kept. */
  static startWithWindow(): Promise<Browser> {
    return Browser.#launch([], true);
  }

  static async #launch(flags: readonly string[], hasWindow = false): Promise<Browser> {
    const profile = mkdtempSync(join(tmpdir(), 'msg-chromium-'));
    const context = await chromium.launchPersistentContext(profile, chromiumOptions(flags, hasWindow));
    return new Browser(context, async () => rmSync(profile, { recursive: true, force: true }));
  }

  static async #connect(endpoint: string): Promise<Browser> {
    const browser = await chromium.connect(endpoint);
    return new Browser(await browser.newContext(), () => browser.close());
  }

  /** A new tab; all tabs share one profile. */
  page(): Promise<Page> {
    return this.#context.newPage();
  }

  /** A new tab whose pages run no script; what a test evaluates there runs nevertheless. */
  async pageWithoutScripts(): Promise<Page> {
    const page = await this.#context.newPage();
    const session = await this.#context.newCDPSession(page);
    await session.send('Emulation.setScriptExecutionDisabled', { value: true });
    return page;
  }

  /** Closes every tab and removes the profile. */
  async stop(): Promise<void> {
    await this.#context.close();
    await this.#release();
  }
}
