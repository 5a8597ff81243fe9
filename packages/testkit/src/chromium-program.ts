import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Chromium without a window: a page costs it a third of what it costs Chromium, which draws its bar for each. */
const HEADLESS_SHELL = 'chromium-headless-shell';
const WITH_WINDOW = ['chromium', 'chromium-browser', 'google-chrome'];

/** No sandbox, because tests may run as root; nothing that goes out to the network by itself. */
const FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export interface ChromiumOptions {
  readonly executablePath: string;
  readonly headless: true;
  readonly args: string[];
}

/**
 * How the installed Chromium is started.
 * @param flags further ones of the command line
 * @param hasWindow the program that draws a window, too: broken pictures are a little larger in it
 */
export function chromiumOptions(flags: readonly string[] = [], hasWindow = false): ChromiumOptions {
  const programs = hasWindow ? WITH_WINDOW : [HEADLESS_SHELL, ...WITH_WINDOW];
  const executablePath = programs.map(onPath).find(path => path !== undefined);
  if (executablePath === undefined)
    throw new Error(
      `Chromium is not installed: apt-get install -y ${hasWindow ? 'chromium' : HEADLESS_SHELL}`,
    );
  return { executablePath, headless: true, args: [...FLAGS, ...flags] };
}

/** Whether browsers can share one process at no cost: with a window, each of their pages opens one. */
export function isShared(): boolean {
  return onPath(HEADLESS_SHELL) !== undefined;
}

function onPath(program: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const path = join(folder, program);
    try {
      accessSync(path, constants.X_OK);
      return path;
    } catch {
      // the next one
    }
  }
  return undefined;
}
