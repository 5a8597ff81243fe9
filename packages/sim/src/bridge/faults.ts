import type { RedisServer } from '@msg/testkit/redis';
import type { Actor } from '../kernel/actor.ts';
import type { Stream } from '../kernel/stream.ts';
import type { Fault } from '../world/faults.ts';
import type { RealKernel } from './real-kernel.ts';
import type { RealPersistence, RealStore } from './real-store.ts';
import type { Road } from './road.ts';
import type { ServiceProcess } from './service-process.ts';

/** Steps of the simulation that nothing real corresponds to, and why. */
export const WITHOUT_COUNTERPART: Readonly<Record<string, string>> = {
  'pause of a client': 'the stock clients of a run share a process',
  'messages of the store lost': 'a real server loses no single message of a connection that lives',
  'slot migration': 'slots of real masters move in `sim:redis -- cluster`, which compares each answer',
  'fail-over to an empty replica': 'a real replica that lost its data takes it from its master again',
};

/** What the faults of a run can hit. */
export interface RealTargets {
  readonly clients: readonly Actor[];
  readonly publishers: readonly Actor[];
  readonly nodes: readonly ServiceProcess[];
  readonly store: RealStore;
  readonly persistence: RealPersistence;
  /** The way of a client or a publisher to the service. */
  readonly roadOf: (actor: Actor) => Road;
  /** Faults end then at the latest. */
  readonly calmFromMs: number;
  /** Takes what a fault that goes on by itself is waiting for. */
  readonly going: (work: Promise<unknown>) => void;
}

/** Between the ends of two nodes in a rolling restart. */
const ROLLING_MS = 8000;

/** Every kind of fault of the class that has a real counterpart. Each draws as its twin of the simulation does. */
export function realFaults(kernel: RealKernel, targets: RealTargets): readonly Fault[] {
  const { calmFromMs } = targets;
  const inStorm = (ms: number): number => Math.max(10, Math.min(ms, calmFromMs - kernel.nowUs / 1000));
  const faults = { ...clientFaults(targets, inStorm), ...nodeFaults(kernel, targets, inStorm) };
  const store = { ...roadFaults(targets, inStorm), ...storeFaults(kernel, targets, inStorm) };
  const all: Readonly<Record<string, Happen>> = { ...faults, ...store, ...failOvers(targets, inStorm) };
  return Object.entries(all).map(([name, happen]) => ({ name, weight: 1, happen }));
}

type Happen = Fault['happen'];
/** Of a time, what ends before the calm. */
type InStorm = (ms: number) => number;

function clientFaults(targets: RealTargets, inStorm: InStorm): Record<string, Happen> {
  const { clients, publishers, roadOf } = targets;
  const anyone = (draw: Stream): Road => roadOf(draw.pick(draw.chance(70) ? clients : publishers));
  const stallMs = (draw: Stream): number => inStorm(draw.between(500, 45_000));
  return {
    cut: draw => anyone(draw).cut(),
    stall: draw => anyone(draw).stall(stallMs(draw)),
    'stall of one direction': draw =>
      anyone(draw).stall(stallMs(draw), draw.pick(['there', 'back'] as const)),
    silence: draw => anyone(draw).silence(),
    'cut of every client': () => {
      for (const client of clients) roadOf(client).cut();
    },
  };
}

function nodeFaults(kernel: RealKernel, { nodes }: RealTargets, inStorm: InStorm): Record<string, Happen> {
  return {
    'pause of a node': draw => draw.pick(nodes).pause(inStorm(draw.between(100, 15_000))),
    'clock jump of a node': draw => draw.pick(nodes).jump(draw.between(-3_600_000, 3_600_000)),
    'kill of a node': draw => draw.pick(nodes).kill(inStorm(draw.between(10, 20_000))),
    'rolling restart': () => {
      for (const [i, node] of nodes.entries()) kernel.after(inStorm(i * ROLLING_MS), () => node.replace());
    },
  };
}

/** What happens between nodes and their store. */
function roadFaults({ nodes, store }: RealTargets, inStorm: InStorm): Record<string, Happen> {
  const roads = (draw: Stream): readonly Road[] => roadsToMasters(draw.pick(nodes), store);
  const stallMs = (draw: Stream): number => inStorm(draw.between(200, 30_000));
  return {
    'cut between a node and the store': draw => {
      for (const road of roads(draw)) road.cut();
    },
    'partition between a node and the store': draw => {
      const hit = roads(draw);
      const forMs = stallMs(draw);
      for (const road of hit) road.stall(forMs);
    },
    'one direction between a node and the store': draw => {
      const hit = roads(draw);
      const forMs = stallMs(draw);
      const direction = draw.pick(['there', 'back'] as const);
      for (const road of hit) road.stall(forMs, direction);
    },
    'silence between a node and the store': draw => {
      for (const road of roads(draw)) road.silence();
    },
  };
}

function roadsToMasters(node: ServiceProcess, store: RealStore): readonly Road[] {
  return store.masters().flatMap(({ port }) => node.roads.get(port) ?? []);
}

function storeFaults(
  kernel: RealKernel,
  { nodes, store, going }: RealTargets,
  inStorm: InStorm,
): Record<string, Happen> {
  return {
    'slow store': draw => {
      const lateMs = draw.pick([20, 300, 2000, 6000]);
      const forMs = inStorm(draw.between(200, 20_000));
      const roads = nodes.flatMap(node => roadsToMasters(node, store));
      for (const road of roads) road.delay(lateMs);
      kernel.after(forMs, () => {
        for (const road of roads) road.open();
      });
    },
    'pause of the store': draw => {
      const server = store.nextMaster();
      const forMs = inStorm(draw.between(100, 15_000));
      if (ifRunning(() => server.pause())) kernel.after(forMs, () => ifRunning(() => server.resume()));
    },
    'kill of the store': draw => going(store.kill(inStorm(draw.between(10, 15_000)))),
    'refusals of the store': draw => {
      draw.next();
      const server = store.nextMaster();
      const limit = (bytes: number): void => operate(server, 'CONFIG', 'SET', 'maxmemory', String(bytes));
      limit(1);
      kernel.after(inStorm(draw.between(100, 15_000)), () => limit(0));
    },
    'connections ended by an operator': draw => {
      const type = draw.pick(['normal', 'pubsub'] as const);
      operate(store.nextMaster(), 'CLIENT', 'KILL', 'TYPE', type);
    },
    'scripts flushed': () => operate(store.nextMaster(), 'SCRIPT', 'FLUSH'),
    'flush of the store': () => going(store.flush()),
  };
}

/** Whether a server could be signalled: one that was killed cannot. */
function ifRunning(signal: () => void): boolean {
  try {
    signal();
    return true;
  } catch {
    return false;
  }
}

/** Sends an operator's command. A server that is gone, or stands still for long, does not answer. */
function operate(server: RedisServer, name: string, ...args: readonly string[]): void {
  server.command(name, ...args).catch(() => undefined);
}

function failOvers({ store, going }: RealTargets, inStorm: InStorm): Record<string, Happen> {
  const olds = ['dead', 'frozen', 'demoted'] as const;
  const change = (draw: Stream, old: 'dead' | 'cut off' | 'frozen' | 'demoted', heldMs: number): void =>
    going(store.failOver({ old, heldMs: inStorm(heldMs), backMs: draw.between(100, 15_000) }));
  return {
    'fail-over': draw => change(draw, draw.pick(olds), 0),
    'fail-over that loses a tail': draw => change(draw, draw.pick(olds), draw.between(50, 8000)),
    'two masters': draw => change(draw, 'cut off', 0),
  };
}
