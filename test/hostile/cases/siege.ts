import { openFiles } from '../process-state.ts';
import type { SeededRandom } from '../random.ts';
import type { Target } from '../targets/target.ts';
import { type Case, caseName, runCase } from './case.ts';
import { HealthProbe } from './health-probe.ts';

/** Cases at once that mostly take milliseconds, and such that always wait for a deadline. */
const QUICK_AT_ONCE = 256;
const WAITING_AT_ONCE = 700;
/** Files that a server may open while it works: a key file, a log. */
const SPARE_FILES = 3;
/** After the last case every socket must be closed within this time: the longest deadline, and patience. */
const FILES_CLOSE_MS = 60_000;

/** What the cases of one target led to. */
export interface SiegeReport {
  /** Cases that were carried out. */
  readonly ran: number;
  /** Cases whose exchange ends before their stage, as that of a refused upgrade does: they were tried too. */
  readonly unreachable: number;
  readonly crashes: number;
  /** Cases whose server did not do what it owed, with the reason. */
  readonly faults: readonly string[];
  /** The longest answer of the health check meanwhile, milliseconds. */
  readonly slowestHealthMs: number;
}

/** Runs cases against a target until all are through or it has ended. */
export async function besiege(
  target: Target,
  cases: readonly Case[],
  random: SeededRandom,
): Promise<SiegeReport> {
  const filesBefore = openFiles(target.pid);
  const faults: string[] = [];
  const underWay = new Set<Case>();
  let ran = 0;
  let unreachable = 0;
  const run = async (queue: readonly Case[], atOnce: number): Promise<void> => {
    let next = 0;
    const worker = async (): Promise<void> => {
      for (let attack = queue[next++]; attack !== undefined && target.isRunning(); attack = queue[next++]) {
        underWay.add(attack);
        const outcome = await runCase(target.url, attack, random);
        if (!target.isRunning()) return;
        underWay.delete(attack);
        if (outcome === 'unreachable') unreachable++;
        else ran++;
        if (typeof outcome === 'object') faults.push(`${caseName(attack)}: ${outcome.fault}`);
      }
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, queue.length) }, worker));
  };
  const probe = new HealthProbe(target.url + target.healthPath);
  await Promise.all([
    run(
      cases.filter(({ ending }) => ending.waits !== true),
      QUICK_AT_ONCE,
    ),
    run(
      cases.filter(({ ending }) => ending.waits === true),
      WAITING_AT_ONCE,
    ),
  ]);
  const slowestHealthMs = await probe.stop();
  if (!target.isRunning()) {
    const last = [...underWay].slice(0, 5).map(caseName).join('; ');
    return { ran, unreachable, crashes: 1, faults: [...faults, `ended during: ${last}`], slowestHealthMs };
  }
  if (probe.failures > 0) faults.push(`${probe.failures} health checks failed`);
  const left = await filesLeft(target.pid, filesBefore);
  if (left > 0) faults.push(`${left} sockets are still open`);
  return { ran, unreachable, crashes: 0, faults, slowestHealthMs };
}

async function filesLeft(pid: number, before: number): Promise<number> {
  const deadline = performance.now() + FILES_CLOSE_MS;
  while (openFiles(pid) > before + SPARE_FILES && performance.now() < deadline) {
    await new Promise(resolve => setTimeout(resolve, 200));
  }
  return Math.max(0, openFiles(pid) - before - SPARE_FILES);
}
