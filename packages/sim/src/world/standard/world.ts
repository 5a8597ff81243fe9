import { defined } from '@msg/foundation/json';
import type { Kernel } from '../../kernel/kernel.ts';
import { networkOf } from '../../net/network.ts';
import { excusedLostTails } from '../../oracles/e1-lost-tail.ts';
import { excusedRepeats } from '../../oracles/o15-order-without-recovery.ts';
import type {
  EndedSubscription,
  Observations,
  Published,
  Rest,
  Seen,
  Stop,
} from '../../oracles/observations.ts';
import type { Plan } from '../../plan/plan.ts';
import { isFaultOfStandard } from '../../plan/standard-classes.ts';
import { type StandardSwitches, standardSwitches } from '../../plan/standard-switches.ts';
import { drawRounds } from '../../plan/steps.ts';
import { drawSwitches, type Switch } from '../../plan/switches.ts';
import { isInStorm, type Rounds, roundsOf } from '../../plan/timetable.ts';
import { Company } from '../company.ts';
import type { PreparedWorld, World } from '../contract.ts';
import { countsOf } from '../counts.ts';
import { playSteps } from '../faults.ts';
import { NODE_HOST, NODE_PORT } from '../node.ts';
import { kindsOf, startClients } from '../stock-client.ts';
import { timelineOf } from '../timeline.ts';
import { startBackends } from './backends.ts';
import { CLOCK_JUMP, faultsOf } from './faults.ts';
import { hearsFromUs, judgedRounds, lookAtCalms } from './judged-rounds.ts';
import { lossesOf, type NodeLife, rememberedBy } from './losses.ts';
import { Publisher } from './publisher.ts';
import { ServiceNode } from './service-node.ts';
import { Store, type StoreKind } from './store.ts';

/** Calm follows the storm until the end. */
const CALM_MS = 150_000;
/** Publishing goes on in the calm, but ends so long before the end that everything has arrived. */
const QUIET_MS = 50_000;

/** Before the end of a calm so much: clients ask who is in their channels. */
const LOOK_MS = 5000;
/** An entry of a killed node lives 60 s; one that is renewed once more, a tick of 25 s longer. */
const LINGERS_US = 85_000_000;

/** Several real services on one Redis behind a load balancer, stock clients, publishers that repeat, and faults. */
export function standardWorld(name: string, table: readonly Switch[]): World {
  return (kernel, plan) => prepared(name, table, kernel, plan);
}

function prepared(world: string, table: readonly Switch[], kernel: Kernel, plan: Plan): PreparedWorld {
  const drawn = drawSwitches(table, purpose => kernel.stream(purpose), plan.switches);
  const switches = standardSwitches(drawn);
  const lengths = { stormMs: switches.stormMs, calmMs: CALM_MS, quietMs: QUIET_MS };
  const rounds = roundsOf({ ...lengths, hours: plan.hours });
  const { endMs } = rounds.last;
  const channels = Array.from({ length: switches.channels }, (_, i) => `public:sim.c${i}`);
  const store = new Store(kernel, switches.store as StoreKind);
  const nodes = startNodes(kernel, switches);
  const told = { answers: [] as Published[], givenUp: [] as string[] };
  const active = channels.filter((_, i) => plan.channels?.includes(i) ?? true);
  const publishers = startPublishers(kernel, {
    ...told,
    switches,
    channels: active,
    rounds: rounds.all,
  });
  const backends = startBackends(kernel, switches, rounds.last.quietFromMs);
  const company = new Company(kernel, {
    lingersUs: LINGERS_US,
    isToldAll: false, // E6
    looksAtMs: switches.presence ? rounds.all.map(round => round.endMs - LOOK_MS) : [],
  });
  const { clients, ...events } = startApplications(kernel, plan, { switches, channels, company, rounds });
  const targets = { clients: clients.map(({ actor }) => actor), publishers, nodes, store };
  const faults = faultsOf(kernel, { ...targets, persistence: switches.persistence as 'always' | 'no' });
  const kinds = faults.filter(({ name }) => drawn[name] === true && isFaultOfStandard(world, drawn, name));
  const steps =
    plan.steps ?? drawRounds(purpose => kernel.stream(purpose), kinds, switches.faultEveryMs, rounds.all);
  const happened = playSteps(kernel, faults, steps);

  const { published, wipedAtUs, forks, renewals } = store.truth;
  const lives = (): readonly NodeLife[] => nodes.flatMap(node => node.lives);
  const rests = (): readonly Rest[] => clients.flatMap(({ client }) => client.rests());
  const remembered = (untilUs: number) => rememberedBy(lives(), published, untilUs);
  const calms = lookAtCalms(kernel, rounds, { rests, remembered });
  const observations = (): Observations => ({
    published,
    remembered: remembered(hearsFromUs(rounds.last)),
    answers: told.answers,
    losses: lossesOf(published, lives(), { wipedAtUs, forks, renewals, channels }),
    hearsFromUs: hearsFromUs(rounds.last),
    heardUs: publication => Math.max(0, ...lives().map(life => life.heardUs(publication) ?? 0)),
    wipedAtUs,
    forks,
    renewals,
    skewedFromUs: 1000 * Math.min(...steps.filter(({ name }) => name === CLOCK_JUMP).map(({ atMs }) => atMs)),
    ...events,
    company,
    retention: { size: switches.historySize, ttlMs: switches.historyTtlMs },
    mode: switches.recovery as Observations['mode'] & string,
    isPublishedOnce: true,
    ...backends.observations(),
    changes: store.lifecycle.changes,
    rests: rests(),
    endUs: endMs * 1000,
  });
  return {
    endMs,
    drawn: { switches: drawn, steps, clients: switches.clients, channels: switches.channels },
    counts: () => {
      const all = observations();
      return {
        ...countsOf(all, happened),
        starts: nodes.reduce((sum, { starts }) => sum + starts, 0),
        lost: all.losses?.length ?? 0,
        wiped: wipedAtUs.length,
        promoted: forks.length,
        'tail lost': published.filter(({ lostUs }) => lostUs !== undefined).length,
        renewed: renewals.length,
        'exceptions E1': excusedLostTails(all).length,
        'heard again': excusedRepeats(all),
        ...backends.counts(),
        'channel changes': store.lifecycle.changes.length,
        'given up': told.givenUp.length,
        ended: events.ends.length,
        stopped: events.stops.length,
        ...kindsOf(clients),
        looks: company.looks.length,
        notices: company.notices.length,
      };
    },
    timeline: () => timelineOf(observations(), steps),
    violations: () => judgedRounds(observations(), calms),
  };
}

function startNodes(kernel: Kernel, switches: StandardSwitches): readonly ServiceNode[] {
  const nodes = Array.from(
    { length: switches.nodes },
    (_, i) => new ServiceNode(kernel, `node ${i}`, switches),
  );
  for (const [i, node] of nodes.entries()) node.startAt(10 + 20 * i);
  networkOf(kernel).balance(
    NODE_HOST,
    NODE_PORT,
    nodes.map(({ name }) => name),
  );
  return nodes;
}

function startPublishers(kernel: Kernel, parts: ConstructorParameters<typeof Publisher>[2]) {
  return Array.from({ length: parts.switches.publishers }, (_, i) => {
    const actor = kernel.actor(`publisher ${i}`);
    const publisher = new Publisher(kernel, actor, parts);
    kernel.at(500, actor, 'start', () => publisher.start());
    return actor;
  });
}

interface ApplicationParts {
  readonly switches: StandardSwitches;
  readonly channels: readonly string[];
  readonly company: Company;
  readonly rounds: Rounds;
}

/** Starts the stock clients, and what their applications see. */
function startApplications(kernel: Kernel, plan: Plan, parts: ApplicationParts) {
  const { switches, channels, company, rounds } = parts;
  const seen: Seen[] = [];
  const ends: EndedSubscription[] = [];
  const stops: Stop[] = [];
  const clients = startClients(kernel, {
    count: switches.clients,
    only: plan.clients,
    channels,
    onlyChannels: plan.channels,
    kinds: switches,
    options: defined({
      joinLeave: switches.joinLeave,
      delta: switches.delta ? ('fossil' as const) : undefined,
    }),
    churnUntilMs: switches.churn ? rounds.last.calmFromMs : 0,
    churns: ms => isInStorm(rounds, ms),
    seen: event => seen.push(event),
    ended: end => ends.push(end),
    stopped: stop => stops.push(stop),
    company,
  });
  return { clients, seen, ends, stops };
}
