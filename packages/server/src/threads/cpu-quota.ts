import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

const ROOT = '/sys/fs/cgroup';

/** Reads a text file; undefined for one that cannot be read. */
export type ReadText = (path: string) => Promise<string | undefined>;

const readText: ReadText = path => readFile(path, 'utf8').catch(() => undefined);

/** A control group of this process, in the form of `/proc/self/cgroup`. */
interface Membership {
  readonly controllers: readonly string[];
  readonly path: string;
}

/**
 * The cores that the control groups of this process, those above them included, let it use: 1.5 for one and a half.
 * Undefined without a limit, and where there are no control groups.
 */
export async function cpuQuota(read: ReadText = readText): Promise<number | undefined> {
  const quotas: number[] = [];
  for (const { controllers, path } of memberships((await read('/proc/self/cgroup')) ?? '')) {
    if (controllers.length === 0) quotas.push(...(await quotasAbove(path, at => ofUnified(read, at))));
    if (controllers.includes('cpu')) quotas.push(...(await quotasAbove(path, at => ofOlder(read, at))));
  }
  return quotas.length === 0 ? undefined : Math.min(...quotas);
}

function memberships(text: string): Membership[] {
  return text
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [, names = '', ...path] = line.split(':');
      return { controllers: names === '' ? [] : names.split(','), path: path.join(':') };
    });
}

/** The quotas of a group and of all groups above it. */
async function quotasAbove(
  path: string,
  quotaAt: (path: string) => Promise<number | undefined>,
): Promise<number[]> {
  const quotas: number[] = [];
  for (let at = path; ; at = dirname(at)) {
    const quota = await quotaAt(at);
    if (quota !== undefined) quotas.push(quota);
    if (at === '/' || at === '.') return quotas;
  }
}

/** `cpu.max` holds `<quota> <period>`, or `max <period>`. */
async function ofUnified(read: ReadText, path: string): Promise<number | undefined> {
  const [quota = '', period = ''] = ((await read(join(ROOT, path, 'cpu.max'))) ?? '').trim().split(' ');
  return quotient(quota, period);
}

/** A quota of -1 means that there is no limit. */
async function ofOlder(read: ReadText, path: string): Promise<number | undefined> {
  const of = (name: string) => read(join(ROOT, 'cpu', path, name));
  return quotient((await of('cpu.cfs_quota_us')) ?? '', (await of('cpu.cfs_period_us')) ?? '');
}

function quotient(quota: string, period: string): number | undefined {
  const cores = Number.parseInt(quota, 10) / Number.parseInt(period, 10);
  return Number.isFinite(cores) && cores > 0 ? cores : undefined;
}
