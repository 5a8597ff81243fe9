import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

/** Numbers of threads that are measured where none are named. */
const THREADS = [1, 2, 4, 8, 16];
const MIN_PAIRS = 5;

/** What the rows of the bench are measured with. */
export interface CoresSetting {
  /** Numbers of session threads; 1 is the baseline of most rows. */
  readonly threads: readonly number[];
  /** Cores of the service and of the load, as `taskset` takes them. */
  readonly serverCpus: string;
  readonly loadCpus: string;
  readonly pairs: number;
  /** Length of a measured round. */
  readonly sliceMs: number;
  /** Connections of the rows that hold many. */
  readonly connections: number;
  /** Until memory is read. */
  readonly settleMs: number;
  /** The rows to measure; none: all. */
  readonly only: readonly string[];
}

/** Reads the options of `npm run bench -- cores`. */
export function readSetting(args: readonly string[]): CoresSetting {
  const { values } = parseArgs({
    args: [...args],
    options: {
      threads: { type: 'string' },
      'server-cpus': { type: 'string', default: defaultCpus().server },
      'load-cpus': { type: 'string', default: defaultCpus().load },
      pairs: { type: 'string', default: '5' },
      slice: { type: 'string', default: '3000' },
      connections: { type: 'string', default: '10000' },
      'settle-s': { type: 'string', default: '10' },
      only: { type: 'string', multiple: true, default: [] },
    },
  });
  const serverCpus = values['server-cpus'];
  const most = 2 * coresOf(serverCpus).length;
  return {
    threads: values.threads?.split(',').map(positive) ?? THREADS.filter(threads => threads <= most),
    serverCpus,
    loadCpus: values['load-cpus'],
    pairs: Math.max(MIN_PAIRS, positive(values.pairs)),
    sliceMs: positive(values.slice),
    connections: positive(values.connections),
    settleMs: positive(values['settle-s']) * 1000,
    only: values.only,
  };
}

/** The numbers of threads beside one. */
export function severalThreads({ threads }: CoresSetting): readonly number[] {
  return threads.filter(count => count > 1);
}

/** Whether each thread and the load have a core of their own, so that rates by the clock count. */
export function hasCoresFor(threads: number, { serverCpus, loadCpus }: CoresSetting): boolean {
  const loads = coresOf(loadCpus);
  const servers = coresOf(serverCpus).filter(core => !loads.includes(core));
  return servers.length >= threads;
}

/** What the first line says about this machine. */
export function noteOfMachine(setting: CoresSetting): string {
  const { serverCpus, loadCpus } = setting;
  const tooMany = setting.threads.filter(threads => !hasCoresFor(threads, setting));
  const cpus = `service on CPUs ${serverCpus}, load on ${loadCpus}`;
  if (tooMany.length === 0) return cpus;
  const loads = coresOf(loadCpus).length;
  return (
    `${cpus}; too small for ${tooMany.join(', ')} threads and ${loads} core${loads === 1 ? '' : 's'} of load: ` +
    'only figures of CPU count there'
  );
}

/** The last quarter of the cores is the load's; on a small machine the service has all of them. */
function defaultCpus(): { readonly server: string; readonly load: string } {
  const cores = availableParallelism();
  const loads = Math.max(1, Math.floor(cores / 4));
  const list = (from: number, to: number): string => (from === to ? `${from}` : `${from}-${to}`);
  return {
    server: cores <= 2 ? list(0, cores - 1) : list(0, cores - loads - 1),
    load: list(cores - loads, cores - 1),
  };
}

/** The cores of a list such as `0-2,5`. */
export function coresOf(list: string): readonly number[] {
  return list.split(',').flatMap(part => {
    const [from = Number.NaN, to = from] = part.split('-').map(Number);
    if (!Number.isInteger(from) || !Number.isInteger(to)) throw new Error(`no list of cores: ${list}`);
    return Array.from({ length: to - from + 1 }, (_, index) => from + index);
  });
}

function positive(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value) || value <= 0) throw new Error(`a positive number, not ${text}`);
  return value;
}
