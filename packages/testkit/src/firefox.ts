import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { type Browser, launch } from 'puppeteer-core';

export type { Page as FirefoxPage } from 'puppeteer-core';

const PROGRAMS = ['firefox-esr', 'firefox'];

/** Where Firefox is on this machine; undefined: it is not installed. */
export function firefoxProgram(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return PROGRAMS.flatMap(program => folders.map(folder => join(folder, program))).find(path => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** A running Firefox with a profile of its own. */
export interface StartedFirefox {
  readonly browser: Browser;
  /** Ends it and removes the profile. */
  stop(): Promise<void>;
}

/** Starts Firefox as it is installed, spoken to over WebDriver BiDi. */
export async function startFirefox(executablePath: string): Promise<StartedFirefox> {
  const userDataDir = mkdtempSync(join(tmpdir(), 'msg-firefox-'));
  const browser = await launch({ browser: 'firefox', executablePath, headless: true, userDataDir });
  return {
    browser,
    async stop() {
      await browser.close();
      rmSync(userDataDir, { recursive: true, force: true });
    },
  };
}
