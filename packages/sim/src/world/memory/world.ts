import type { Kernel } from '../../kernel/kernel.ts';
import { ORACLES } from '../../oracles/all.ts';
import type { EndedSubscription, Observations, Seen } from '../../oracles/observations.ts';
import type { PreparedWorld } from '../contract.ts';
import { drawFaults } from '../faults.ts';
import { countsOf } from './counts.ts';
import { faultsOf } from './faults.ts';
import { PublishingNode } from './publishing-node.ts';
import { loseAround, roadFaults } from './road-faults.ts';
import { startClients } from './stock-client.ts';

/** Faults, then calm until the end. */
const STORM_MS = 180_000;
const CALM_MS = 120_000;
/** Publishing goes on in the calm, but ends so long before the end that everything has arrived. */
const QUIET_MS = 10_000;

/** One real service on streams in memory, stock clients of two versions, a publisher inside the node, and faults. */
export function memoryWorld(kernel: Kernel): PreparedWorld {
  const draw = kernel.stream('world');
  const retention = { size: draw.pick([1, 5, 20, 100]), ttlMs: draw.pick([5000, 30_000, 300_000]) };
  const channels = Array.from({ length: draw.between(1, 4) }, (_, i) => `public:sim.c${i}`);
  const roadMs = draw.pick([0, 0, 5, 20, 100]);
  const silentFromMs = draw.between(30_000, STORM_MS);
  const seen: Seen[] = [];
  const ends: EndedSubscription[] = [];
  const endMs = STORM_MS + CALM_MS;

  const clients = startClients(kernel, {
    draw,
    most: 12,
    channels,
    seen: event => seen.push(event),
    ended: end => ends.push(end),
  });
  const node = new PublishingNode(kernel, {
    channels,
    retention,
    publishUntilMs: endMs - QUIET_MS,
    silentFromMs,
    roadMs,
  });
  node.process.startAt(0);
  const faults = faultsOf(kernel, {
    clients: clients.map(({ actor }) => actor),
    node: () => node.process.actor,
    restartNode: () => node.restart(draw.between(10, 20_000)),
  });
  const ofTheRoad = roadMs > 0 ? roadFaults(kernel, node.road, () => node.restored()) : [];
  if (roadMs > 0 && draw.chance(50)) loseAround(kernel, node.road, silentFromMs);
  const happened = drawFaults(kernel, [...faults, ...ofTheRoad], STORM_MS);

  const observations = (): Observations => ({
    published: node.published,
    answers: node.answers,
    losses: node.losses,
    wipedAtUs: node.wipedAtUs,
    seen,
    ends,
    retention,
    rests: clients.flatMap(({ client }) => client.rests()),
    endUs: endMs * 1000,
  });
  return {
    endMs,
    counts: () => ({ ...countsOf(observations(), happened), lost: node.losses.length, ended: ends.length }),
    violations: () => ORACLES.flatMap(oracle => oracle.judge(observations())),
  };
}
