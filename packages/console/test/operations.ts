import type { Page } from 'playwright-core';

/** A part of the trace of V8: how often a block of code ran. Source: domain Profiler of the DevTools protocol. */
interface Block {
  readonly count: number;
}

/**
 * How many blocks of the page's own scripts ran while something was done: each turn of a loop is one. Time would say more
 * about the machine than about the page; this is the same on every machine.
 *
 * @param origin of the page: scripts of tests count nothing
 */
export async function operationsOf(page: Page, origin: string, act: () => Promise<void>): Promise<number> {
  const session = await page.context().newCDPSession(page);
  try {
    await session.send('Profiler.enable');
    await session.send('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    await act();
    const { result } = await session.send('Profiler.takePreciseCoverage');
    const blocks: readonly Block[] = result
      .filter(({ url }) => url.startsWith(origin))
      .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
    return blocks.reduce((sum, { count }) => sum + count, 0);
  } finally {
    await session.detach();
  }
}
