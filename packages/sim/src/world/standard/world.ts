import type { Kernel } from '../../kernel/kernel.ts';
import { networkOf } from '../../net/network.ts';
import type { Observations } from '../../oracles/observations.ts';
import type { Plan } from '../../plan/plan.ts';
import { isFaultOfStandard } from '../../plan/standard-classes.ts';
import { type StandardSwitches, standardSwitches } from '../../plan/standard-switches.ts';
import { drawRounds } from '../../plan/steps.ts';
import { drawSwitches, type Switch } from '../../plan/switches.ts';
import { roundsOf } from '../../plan/timetable.ts';
import type { PreparedWorld, World } from '../contract.ts';
import { playSteps } from '../faults.ts';
import { NODE_HOST, NODE_PORT } from '../node.ts';
import { timelineOf } from '../timeline.ts';
import { faultsOf } from './faults.ts';
import { hearsFromUs, judgedRounds, lookAtCalms } from './judged-rounds.ts';
import { ServiceNode } from './service-node.ts';
import { Store, type StoreKind } from './store.ts';
import { Users } from './users.ts';

/** Calm follows the storm until the end. */
const CALM_MS = 150_000;
/** Publishing goes on in the calm, but ends so long before the end that everything has arrived. */
const QUIET_MS = 50_000;

/** Before the end of a calm so much: clients ask who is in their channels. */
const LOOK_MS = 5000;

/** Several real services on one Redis behind a load balancer, stock clients, publishers that repeat, and faults. */
export function standardWorld(name: string, table: readonly Switch[]): World {
  return (kernel, plan) => prepared(name, table, kernel, plan);
}

function prepared(world: string, table: readonly Switch[], kernel: Kernel, plan: Plan): PreparedWorld {
  const drawn = drawSwitches(table, purpose => kernel.stream(purpose), plan.switches);
  const switches = standardSwitches(drawn);
  const lengths = { stormMs: switches.stormMs, calmMs: CALM_MS, quietMs: QUIET_MS };
  const rounds = roundsOf({ ...lengths, hours: plan.hours ?? (switches.hours || undefined) });
  const { endMs } = rounds.last;
  const store = new Store(kernel, switches.store as StoreKind);
  const nodes = startNodes(kernel, { switches, store });
  const users = new Users(kernel, {
    switches,
    plan,
    rounds,
    looksAtMs: rounds.all.map(round => round.endMs - LOOK_MS),
    hearsFromUs: hearsFromUs(rounds.last),
    store,
    lives: () => nodes.flatMap(node => node.lives),
  });
  const { clients, publishers } = users;
  const targets = { clients: clients.map(({ actor }) => actor), publishers, nodes, store };
  const faults = faultsOf(kernel, { ...targets, persistence: switches.persistence as 'always' | 'no' });
  const kinds = faults.filter(({ name }) => drawn[name] === true && isFaultOfStandard(world, drawn, name));
  const steps =
    plan.steps ?? drawRounds(purpose => kernel.stream(purpose), kinds, switches.faultEveryMs, rounds.all);
  const happened = playSteps(kernel, faults, steps);
  const calms = lookAtCalms(kernel, rounds, users);
  const observations = (): Observations => users.observations(steps, endMs * 1000);
  return {
    endMs,
    drawn: { switches: drawn, steps, clients: switches.clients, channels: switches.channels },
    counts: () => ({
      ...users.counts(observations(), happened),
      'slots moved': store.moved,
      starts: nodes.reduce((sum, { starts }) => sum + starts, 0),
    }),
    timeline: () => timelineOf(observations(), steps),
    violations: () => judgedRounds(observations(), calms),
  };
}

function startNodes(
  kernel: Kernel,
  parts: { readonly switches: StandardSwitches; readonly store: Store },
): readonly ServiceNode[] {
  const nodes = Array.from(
    { length: parts.switches.nodes },
    (_, i) => new ServiceNode(kernel, `node ${i}`, parts),
  );
  for (const [i, node] of nodes.entries()) node.startAt(10 + 20 * i);
  networkOf(kernel).balance(
    NODE_HOST,
    NODE_PORT,
    nodes.map(({ name }) => name),
  );
  return nodes;
}
