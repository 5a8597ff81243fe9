import type { Actor } from '../../kernel/actor.ts';
import type { Kernel } from '../../kernel/kernel.ts';
import { networkOf } from '../../net/network.ts';
import { type Fault, networkFaults, pauseFor, type Target } from '../faults.ts';
import { nodeFaults } from '../memory/faults.ts';
import type { Database } from './database.ts';
import type { RestartingService } from './node.ts';
import type { PushService } from './push-service.ts';

/** Which kinds of faults a run has; drawn for each seed. */
export interface FaultSwitches {
  readonly nodeRestarts: boolean;
  readonly brokerFailures: boolean;
  readonly databaseClock: boolean;
}

/** What the faults of a run can hit. */
export interface Targets {
  readonly clients: readonly Actor[];
  readonly writers: readonly Actor[];
  /** Names of the workers; a name outlives its process. */
  readonly workers: readonly string[];
  readonly database: Database;
  readonly service: RestartingService;
  /** Absent: no row has a message. */
  readonly push: PushService | undefined;
  restartWorker(name: string, afterMs: number): void;
}

/** Every kind of fault of this world. */
export function faultsOf(kernel: Kernel, targets: Targets, switches: FaultSwitches): readonly Fault[] {
  const { clients, service } = targets;
  const worker: Target = draw => kernel.actor(draw.pick(targets.workers));
  const anyone: Target = draw => (draw.chance(50) ? worker(draw) : draw.pick(clients));
  const ofNode = nodeFaults(kernel, {
    node: () => service.actor,
    restartNode: afterMs => service.restart(afterMs),
  });
  const failures: Fault['happen'] = draw =>
    service.failPublications(draw.between(1, 6), draw.pick(['before', 'after'] as const));
  return [
    ...networkFaults(kernel, anyone),
    ...ofNode.filter(({ name }) => switches.nodeRestarts || name !== 'restart of the node'),
    ...workerFaults(kernel, targets, worker),
    ...databaseFaults(kernel, targets, switches),
    ...(targets.push === undefined ? [] : pushFaults(kernel, targets.push, service)),
    ...(switches.brokerFailures ? [{ name: 'failure of the broker', weight: 6, happen: failures }] : []),
  ];
}

function workerFaults(kernel: Kernel, targets: Targets, worker: Target): readonly Fault[] {
  return [
    {
      name: 'kill of a worker',
      weight: 3,
      happen: draw => targets.restartWorker(worker(draw).name, draw.between(10, 20_000)),
    },
    {
      name: 'pause of a worker',
      weight: 3,
      happen: draw => pauseFor(kernel, worker(draw), draw.between(100, 30_000)),
    },
  ];
}

function databaseFaults(
  kernel: Kernel,
  { database, writers }: Targets,
  { databaseClock }: FaultSwitches,
): readonly Fault[] {
  const lossy: Fault = {
    name: 'lost connections of the database',
    weight: 4,
    happen: draw => {
      database.lossPercent = draw.between(10, 90);
      kernel.at(kernel.nowUs / 1000 + draw.between(100, 5000), kernel.actor('faults'), 'whole', () => {
        database.lossPercent = 0;
      });
    },
  };
  const late: Fault = {
    name: 'late answers of the database',
    weight: 2,
    happen: draw => {
      database.lateMs = draw.between(1000, 14_000);
      kernel.at(kernel.nowUs / 1000 + draw.between(100, 20_000), kernel.actor('faults'), 'soon', () => {
        database.lateMs = 0;
      });
    },
  };
  const back: Fault = {
    name: 'clock of the database set back',
    weight: 1,
    happen: draw => {
      database.actor.clockOffsetMs -= draw.between(1000, 3_600_000);
    },
  };
  return [
    lossy,
    late,
    { name: 'stop of the database', weight: 2, happen: draw => database.restart(draw.between(10, 20_000)) },
    {
      name: 'pause of the database',
      weight: 1,
      happen: draw => pauseFor(kernel, database.actor, draw.between(100, 30_000)),
    },
    {
      name: 'pause of a writer',
      weight: 1,
      happen: draw => pauseFor(kernel, draw.pick(writers), draw.between(100, 10_000)),
    },
    ...(databaseClock ? [back] : []),
  ];
}

function pushFaults(kernel: Kernel, push: PushService, service: RestartingService): readonly Fault[] {
  const later = (ms: number, what: string, run: () => void): void =>
    kernel.at(kernel.nowUs / 1000 + ms, kernel.actor('faults'), what, run);
  return [
    // Connections of the node are those to the push service.
    { name: 'cut of a push connection', weight: 3, happen: () => networkOf(kernel).cut(service.actor) },
    {
      name: 'silence of a push connection',
      weight: 1,
      happen: () => networkOf(kernel).silence(service.actor),
    },
    { name: 'stop of the push service', weight: 2, happen: draw => push.restart(draw.between(10, 15_000)) },
    {
      name: 'wrong answer of the name service',
      weight: 2,
      happen: draw => {
        push.moveName(draw.pick(['nowhere', 'stale'] as const));
        later(draw.between(100, 10_000), 'right answer', () => push.moveName('back'));
      },
    },
  ];
}
