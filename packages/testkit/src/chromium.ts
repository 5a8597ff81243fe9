import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type BrowserContext, chromium, type Page } from 'playwright-core';

const PROGRAMS = ['chromium', 'chromium-browser', 'google-chrome'];
/** No sandbox, because tests may run as root; nothing that goes out to the network by itself. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

function findChromium(): string {
  for (const program of PROGRAMS) {
    for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
      const path = join(folder, program);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // the next one
      }
    }
  }
  throw new Error('Chromium is not installed: apt-get install -y chromium');
}

/** A real browser with a profile of its own. */
export class Browser {
  readonly #context: BrowserContext;
  readonly #profile: string;

  private constructor(context: BrowserContext, profile: string) {
    this.#context = context;
    this.#profile = profile;
  }

  /** @param flags further ones of the command line, for example how names resolve */
  static async start(flags: readonly string[] = []): Promise<Browser> {
    const executablePath = findChromium();
    const profile = mkdtempSync(join(tmpdir(), 'msg-chromium-'));
    const options = { executablePath, headless: true, args: [...FLAGS, ...flags] };
    return new Browser(await chromium.launchPersistentContext(profile, options), profile);
  }

  /** A new tab; all tabs share one profile. */
  page(): Promise<Page> {
    return this.#context.newPage();
  }

  /** Closes every tab and removes the profile. */
  async stop(): Promise<void> {
    await this.#context.close();
    rmSync(this.#profile, { recursive: true, force: true });
  }
}
