import { defined } from '@msg/foundation/json';
import type { Kernel } from '../../kernel/kernel.ts';
import type { Stream } from '../../kernel/stream.ts';
import { judged } from '../../oracles/all.ts';
import type {
  EndedSubscription,
  Observations,
  Published,
  Seen,
  Stop,
  WorkerAct,
} from '../../oracles/observations.ts';
import type { Plan } from '../../plan/plan.ts';
import type { PreparedWorld } from '../contract.ts';
import { countsOf } from '../counts.ts';
import { drawnSteps, playSteps } from '../faults.ts';
import { randomOf } from '../node.ts';
import { startClients } from '../stock-client.ts';
import { Database } from './database.ts';
import { faultsOf } from './faults.ts';
import { RestartingService } from './node.ts';
import { PushService } from './push-service.ts';
import { pushOptions, type SinkRecord } from './push-sink.ts';
import { startWorker, type WorkerSettings } from './worker.ts';
import { write } from './writer.ts';

/** Faults, then calm until the end: a worker waits 120 s for a sink, also over a connection that has fallen silent. */
const STORM_MS = 480_000;
const CALM_MS = 180_000;
/** Writing goes on in the calm, but ends so long before the end that everything has arrived. */
const QUIET_MS = 60_000;
/** Longer than the service remembers a publication by its key: only versions tell a repetition afterwards. */
const LONG_OUTAGE_MS = 320_000;

/** One real service on memory stores, the real worker of the outbox over a model of its database, writers and faults. */
export function outboxWorld(kernel: Kernel, plan: Plan): PreparedWorld {
  const endMs = STORM_MS + CALM_MS;
  const parts = startParts(kernel, plan, endMs);
  const { draw, switches, database, workers, clients, push, sinks } = parts;
  const targets = { ...parts, clients: clients.map(({ actor }) => actor), restartWorker: workers.restart };
  const faults = faultsOf(kernel, { ...targets, workers: workers.names }, switches);
  const steps = plan.steps ?? drawnSteps(kernel, faults, STORM_MS);
  const happened = playSteps(kernel, faults, steps);
  kernel.at(STORM_MS, kernel.actor('faults'), 'calm', () => parts.service.mend());
  if (switches.longOutage) {
    const atMs = draw.between(5000, 60_000);
    kernel.at(atMs, kernel.actor('faults'), 'long outage', () => database.restart(LONG_OUTAGE_MS));
  }
  const { published, seen, ends, stops, retention } = parts;
  const observations = (): Observations => ({
    published,
    seen,
    ends,
    stops,
    retention,
    rests: clients.flatMap(({ client }) => client.rests()),
    endUs: endMs * 1000,
    outbox: {
      committed: database.committed,
      dead: database.dead,
      waiting: database.store.rows.map(({ id }) => id),
      leases: database.leases,
      requests: workers.requests,
      elsewhere: [
        ...sinks.letters.map(({ row }) => row),
        ...sinks.attempts.filter(({ outcome }) => outcome === 'sent').map(({ row }) => row),
      ],
    },
    ...defined({
      push: push && { ...sinks, answers: push.answers, faults: push.faults, claims: database.claims },
    }),
  });
  return {
    endMs,
    drawn: { steps, clients: clients.length },
    counts: () => ({
      ...countsOf(observations(), happened),
      rows: database.committed.length,
      dead: database.dead.length,
      sent: sinks.attempts.filter(({ outcome }) => outcome === 'sent').length,
      gone: sinks.attempts.filter(({ outcome }) => outcome === 'gone').length,
      parked: sinks.letters.length,
      ...workers.counts(),
    }),
    violations: () => judged(observations()),
  };
}

/** Draws the world and starts everyone in it. */
function startParts(kernel: Kernel, plan: Plan, endMs: number) {
  const draw = kernel.stream('world');
  const retention = { size: draw.pick([1, 5, 100]), ttlMs: draw.pick([5000, 300_000]) };
  const channels = Array.from({ length: draw.between(2, 5) }, (_, i) => `public:sim.c${i}`);
  const switches = drawSwitches(draw);
  const published: Published[] = [];
  const seen: Seen[] = [];
  const database = new Database(kernel);
  const push = switches.push ? new PushService(kernel, STORM_MS) : undefined;
  push?.start();
  const sinks: SinkRecord = { attempts: [], letters: [] };
  const service = new RestartingService(kernel, {
    channels,
    retention,
    published,
    latePercent: switches.lateChannels ? 40 : 0,
    publishRate: switches.rateLimit ? 40 : 0,
    options: actor => (push === undefined ? {} : pushOptions(kernel, randomOf(actor), sinks)),
  });
  service.startAt(0);
  const ends: EndedSubscription[] = [];
  const stops: Stop[] = [];
  const clients = startClients(kernel, {
    count: draw.between(2, 4),
    only: plan.clients,
    channels,
    seen: event => seen.push(event),
    ended: end => ends.push(end),
    stopped: stop => stops.push(stop),
  });
  const writers = startWriters(kernel, database, {
    count: draw.between(2, 4),
    channels,
    refusedPercent: switches.refusedRows ? 5 : 0,
    recipients: push === undefined ? [] : subscribers(push, draw),
    untilMs: endMs - QUIET_MS,
  });
  const workers = startWorkers(kernel, database, draw);
  const started = { database, service, clients, writers, workers, push, sinks };
  return { draw, switches, retention, published, seen, ends, stops, ...started };
}

/** Browsers with subscriptions, of which some end. */
function subscribers(push: PushService, draw: Stream): object[] {
  return Array.from({ length: draw.between(2, 5) }, () =>
    push.subscribe(draw.chance(40) ? draw.between(0, STORM_MS) : Number.POSITIVE_INFINITY),
  );
}

interface Switches {
  readonly nodeRestarts: boolean;
  readonly brokerFailures: boolean;
  readonly databaseClock: boolean;
  readonly longOutage: boolean;
  readonly lateChannels: boolean;
  readonly refusedRows: boolean;
  readonly rateLimit: boolean;
  readonly push: boolean;
}

function drawSwitches(draw: Stream): Switches {
  const longOutage = draw.chance(40);
  return {
    longOutage,
    // A restart gives new epochs, to which nothing old can be doubled.
    nodeRestarts: !longOutage && draw.chance(60),
    brokerFailures: draw.chance(60),
    databaseClock: draw.chance(40),
    lateChannels: draw.chance(50),
    refusedRows: draw.chance(50),
    rateLimit: draw.chance(25),
    push: draw.chance(50),
  };
}

interface WritersParts {
  readonly count: number;
  readonly channels: readonly string[];
  readonly refusedPercent: number;
  readonly recipients: readonly object[];
  readonly untilMs: number;
}

function startWriters(kernel: Kernel, database: Database, { count, ...writing }: WritersParts) {
  return Array.from({ length: count }, (_, i) => {
    const actor = kernel.actor(`writer ${i}`);
    const now = (): number => kernel.nowUs / 1000;
    kernel.at(100, actor, 'start', () => void write(database, actor, { ...writing, now }));
    return actor;
  });
}

/** Workers by their names; each process of one has figures of its own. */
function startWorkers(kernel: Kernel, database: Database, draw: Stream) {
  const requests: WorkerAct[] = [];
  const settings: WorkerSettings = {
    rows: draw.pick([5, 20, 100]),
    pollIntervalMs: draw.pick([100, 500]),
    waitForChannelMs: 60_000,
    called: worker => void requests.push({ worker, atUs: kernel.nowUs }),
  };
  const names = Array.from({ length: draw.between(1, 3) }, (_, i) => `worker ${i}`);
  const figures: ReturnType<typeof startWorker>[] = [];
  const startAt = (name: string, ms: number): void => {
    const actor = kernel.actor(name);
    kernel.at(ms, actor, 'start', () => void figures.push(startWorker(database, actor, settings)));
  };
  for (const name of names) startAt(name, 200);
  const sum = (count: 'suppressed' | 'takeovers'): number =>
    figures.reduce((total, each) => total + each.stats(true)[count], 0);
  return {
    names,
    requests,
    restart(name: string, afterMs: number): void {
      kernel.kill(kernel.actor(name));
      startAt(name, kernel.nowUs / 1000 + afterMs);
    },
    counts: () => ({ suppressed: sum('suppressed'), takeovers: sum('takeovers') }),
  };
}
