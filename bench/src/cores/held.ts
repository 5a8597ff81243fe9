import { readFileSync } from 'node:fs';
import { Loads } from '../served-memory.ts';
import { missingFiles } from '../storm.ts';
import { CoresService } from './service.ts';
import type { CoresSetting } from './setting.ts';

const SIZES = [5000, 10_000, 19_000, 20_000, 50_000];
const KIB = 1024;
const MIB = 1024 * KIB;
const GIB = 1024 * MIB;
/** The plan of docs/capacity.md. */
const PLANNED = { connections: 1_000_000, threads: 16, gib: 10 };
/** Of this process, whatever the number of connections: the loads' memory is not the service's. */
const WANTED_RATIO = 1.05;

/** Memory of so many connections, bytes: of the process, and of the kernel for one end of each. */
interface Point {
  readonly connections: number;
  readonly process: number;
  readonly kernel: number;
}

interface Held {
  readonly threads: number;
  readonly empty: number;
  readonly points: readonly Point[];
}

/** Memory of connections that are held at once, user space and kernel apart, and what follows for a million of them. */
export async function measure(setting: CoresSetting): Promise<void> {
  console.log(
    `held: idle subscribers of msg serve, read after ${setting.settleMs / 1000} s; ping every 25 s`,
  );
  const notRun = SIZES.flatMap(size => {
    const reason = missingFiles(size);
    return reason === undefined ? [] : [`  ${size} connections not run: ${reason}`];
  });
  for (const line of notRun) console.log(line);
  const measured: Held[] = [];
  for (const threads of setting.threads.filter(count => count <= 4)) {
    const held = await hold(threads, setting);
    measured.push(held);
    print(held, measured[0] as Held);
  }
  project(measured);
}

async function hold(threads: number, setting: CoresSetting): Promise<Held> {
  const service = await CoresService.start(threads, setting);
  const loads = new Loads(service.port, false, setting.loadCpus);
  const settled = () => new Promise(resolve => setTimeout(resolve, setting.settleMs));
  try {
    await settled();
    const [empty, kernelBefore] = [service.server.residentBytes(), kernelBytes()];
    const points: Point[] = [];
    for (const connections of SIZES.filter(size => missingFiles(size) === undefined)) {
      await loads.upTo(connections);
      await settled();
      points.push({
        connections,
        process: service.server.residentBytes() - empty,
        // Both ends of a connection are on this machine.
        kernel: (kernelBytes() - kernelBefore) / 2,
      });
    }
    return { threads, empty, points };
  } finally {
    await loads.stop();
    await service.stop();
  }
}

/** What the kernel has in its caches of objects, sockets among them, and in their buffers. */
function kernelBytes(): number {
  const slab = Number(/^Slab:\s+(\d+) kB/m.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * KIB;
  const pages = Number(/^TCP: .* mem (\d+)/m.exec(readFileSync('/proc/net/sockstat', 'utf8'))?.[1]);
  return slab + pages * 4 * KIB;
}

const each = ({ process, connections }: Point): number => process / connections / KIB;

function print({ threads, empty, points }: Held, single: Held): void {
  console.log(`  ${threads} threads: ${(empty / MIB).toFixed(0)} MiB before any connection`);
  for (const [index, point] of points.entries()) {
    const base = single.points[index];
    const ratio = base === undefined ? Number.NaN : each(point) / each(base);
    const beside =
      threads === single.threads ? '' : `, ${ratio.toFixed(2)} × one thread, wanted ≤ ${WANTED_RATIO}`;
    console.log(
      `    ${point.connections}: ${each(point).toFixed(1)} KiB each in the process${beside}; ` +
        `${(point.kernel / point.connections / KIB).toFixed(1)} KiB each in the kernel`,
    );
  }
}

/** Memory of each connection between two sizes, bytes: what the first ones load once is not in it. */
function slope(points: readonly Point[], of: (point: Point) => number): number {
  const [from, to] = [points[0], points.at(-1)];
  if (from === undefined || to === undefined || from === to) return Number.NaN;
  return (of(to) - of(from)) / (to.connections - from.connections);
}

const all = ({ process, kernel }: Point): number => process + kernel;

/** What so many connections take on so many threads, after what was measured at the most threads. */
function project(measured: readonly Held[]): void {
  const [single, most] = [measured[0], measured.at(-1)];
  if (single === undefined || most === undefined || single === most) return;
  const { points } = most;
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined) return;
  // A thread that has worked: its fixed part, and what its first connections load and leave.
  const startedBytes = (held: Held): number =>
    held.empty +
    (held.points[0]?.process ?? 0) -
    slope(held.points, ({ process }) => process) * first.connections;
  // One thread is main alone.
  const begun = single.threads === 1 ? 0 : single.threads;
  const perThread = (startedBytes(most) - startedBytes(single)) / (most.threads - begun);
  const threads = startedBytes(most) + perThread * (PLANNED.threads - most.threads);
  const inProcess = slope(points, ({ process }) => process) * PLANNED.connections;
  const inKernel = slope(points, ({ kernel }) => kernel) * PLANNED.connections;
  const largest = Object.entries({ process: inProcess, kernel: inKernel, threads }).sort(
    ([, a], [, b]) => b - a,
  )[0]?.[0];
  const gib = (bytes: number): string => (bytes / GIB).toFixed(1);
  console.log(
    `  each further connection: ${(inProcess / PLANNED.connections / KIB).toFixed(1)} KiB in the process, ` +
      `${(inKernel / PLANNED.connections / KIB).toFixed(1)} KiB in the kernel; each thread that has worked ${(perThread / MIB).toFixed(0)} MiB`,
  );
  console.log(
    `  ${PLANNED.connections} connections on ${PLANNED.threads} threads: ${gib(inProcess)} GiB for connections in the process, ` +
      `${gib(inKernel)} in the kernel, ${gib(threads)} for threads: ${gib(inProcess + inKernel + threads)} GiB, ` +
      `wanted ≤ ${PLANNED.gib}; largest part: ${largest}`,
  );
  const before = points.slice(0, -1);
  const expected = all(first) + slope(before, all) * (last.connections - first.connections);
  const error = (expected - all(last)) / all(last);
  if (before.length > 1)
    console.log(
      `  ${last.connections} connections projected so from the smaller sizes: ${(100 * error).toFixed(0)} % beside what was measured`,
    );
}
