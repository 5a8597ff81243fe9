import type { CDPSession, Page } from 'playwright-core';

/** The part of a trace event that is read here. Source: the trace event format of Chromium. */
interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds: by the clock, and of the processor. */
  readonly dur?: number;
  readonly tdur?: number;
}

const CATEGORIES = [
  'toplevel',
  'blink.user_timing',
  'disabled-by-default-devtools.timeline',
  'devtools.timeline',
];
/** The page's own mark in the trace: its thread is the one that has it. */
const MARK = 'the page of this trace';
const TASKS: readonly string[] = ['RunTask', 'ThreadControllerImpl::RunTask'];

/** The longest tasks of the page's own thread. */
export interface LongestTasks {
  /** Milliseconds by the clock: on a busy machine the task also waited for the processor. */
  readonly wallMs: number;
  /** Milliseconds of the processor. */
  readonly cpuMs: number;
  /** Tasks that the trace has. */
  readonly count: number;
}

/** What the longest task of a page took while this ran, by the trace of a Chromium that no other page shares. */
export async function longestTasks(page: Page, act: () => Promise<void>): Promise<LongestTasks> {
  const session = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as TraceEvent[]))); // as documented
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES, recordMode: 'recordAsMuchAsPossible' },
  });
  await page.evaluate(`performance.mark(${JSON.stringify(MARK)})`);
  await act();
  await ended(session);
  await session.detach();
  const mark = events.find(({ name }) => name === MARK);
  const tasks = events.filter(
    ({ name, pid, tid }) => TASKS.includes(name) && pid === mark?.pid && tid === mark.tid,
  );
  const most = (of: (event: TraceEvent) => number | undefined): number =>
    tasks.reduce((longest, task) => Math.max(longest, of(task) ?? 0), 0) / 1000;
  return { wallMs: most(({ dur }) => dur), cpuMs: most(({ tdur }) => tdur), count: tasks.length };
}

async function ended(session: CDPSession): Promise<void> {
  const complete = new Promise(resolve => session.on('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await complete;
}
