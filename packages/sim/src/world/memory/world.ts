import { defined } from '@msg/foundation/json';
import type { Kernel } from '../../kernel/kernel.ts';
import { judged } from '../../oracles/all.ts';
import type {
  EndedSubscription,
  Observations,
  RecoveryMode,
  Seen,
  Stop,
} from '../../oracles/observations.ts';
import {
  hasFilter,
  isOn,
  MEMORY_SWITCHES,
  type MemorySwitches,
  memorySwitches,
} from '../../plan/memory-switches.ts';
import type { Plan } from '../../plan/plan.ts';
import { drawSteps } from '../../plan/steps.ts';
import { drawSwitches } from '../../plan/switches.ts';
import { Company } from '../company.ts';
import type { PreparedWorld } from '../contract.ts';
import { countsOf } from '../counts.ts';
import { type Fault, playSteps } from '../faults.ts';
import { EVEN_HALF, isExcluded } from '../filter.ts';
import { kindsOf, startClients } from '../stock-client.ts';
import { timelineOf } from '../timeline.ts';
import { faultsOf } from './faults.ts';
import { PublishingNode } from './publishing-node.ts';
import { loseBetween, roadFaults } from './road-faults.ts';

/** Calm follows the storm until the end. */
const CALM_MS = 120_000;
/** Publishing goes on in the calm, but ends so long before the end that everything has arrived. */
const QUIET_MS = 10_000;
/** Before the end: an outage of the road begins, publishing ends, the outage ends. */
const LATE_OUTAGE_MS = { begin: 25_000, silence: 22_000, end: 20_000 };

/** Before the end so much: clients ask who is in their channels. */
const LOOK_MS = 5000;
/** An entry of presence ends with its node: it is gone as soon as the road lets its removal pass. */
const LINGERS_US = 5_000_000;

/** One real service on streams in memory, stock clients of two versions, a publisher inside the node, and faults. */
export function memoryWorld(kernel: Kernel, plan: Plan): PreparedWorld {
  const drawn = drawSwitches(MEMORY_SWITCHES, purpose => kernel.stream(purpose), plan.switches);
  const switches = memorySwitches(drawn);
  const endMs = switches.stormMs + CALM_MS;
  const channels = Array.from({ length: switches.channels }, (_, i) => `public:sim.c${i}`);
  const seen: Seen[] = [];
  const ends: EndedSubscription[] = [];
  const stops: Stop[] = [];
  const company = new Company(kernel, {
    lingersUs: LINGERS_US,
    isToldAll: switches.joinLeave,
    looksAtMs: switches.presence ? [endMs - LOOK_MS] : [],
  });
  const node = startNode(kernel, plan, switches, { endMs, channels });
  const clients = startClients(kernel, {
    count: switches.clients,
    only: plan.clients,
    channels,
    onlyChannels: plan.channels,
    kinds: switches,
    options: defined({
      joinLeave: switches.joinLeave,
      delta: switches.delta ? ('fossil' as const) : undefined,
      tagsFilter: hasFilter(switches) ? EVEN_HALF : undefined,
    }),
    churnUntilMs: switches.churn ? switches.stormMs : 0,
    seen: event => seen.push(event),
    ended: end => ends.push(end),
    stopped: stop => stops.push(stop),
    company,
  });
  const targets = {
    clients: clients.map(({ actor }) => actor),
    node: () => node.process.actor,
    restartNode: (afterMs: number) => node.restart(afterMs),
  };
  const faults = [...faultsOf(kernel, targets), ...ofTheRoad(kernel, node, switches)];
  const steps = plan.steps ?? stepsOf(kernel, faults, switches);
  const happened = playSteps(kernel, faults, steps);

  const observations = (): Observations => ({
    published: node.published,
    answers: node.answers,
    losses: node.losses,
    doubled: node.doubled,
    wipedAtUs: node.wipedAtUs,
    seen,
    ends,
    stops,
    company,
    retention: { size: switches.historySize, ttlMs: switches.historyTtlMs },
    mode: modeOf(switches),
    isPublishedOnce: true,
    ...defined({ isExcluded: hasFilter(switches) ? isExcluded : undefined }),
    rests: clients.flatMap(({ client }) => client.rests()),
    endUs: endMs * 1000,
  });
  return {
    endMs,
    drawn: { switches: drawn, steps, clients: switches.clients, channels: switches.channels },
    counts: () => {
      const all = observations();
      return {
        ...countsOf(all, happened),
        lost: node.losses.length,
        ended: ends.length,
        stale: all.rests.filter(({ staleAfterUs }) => staleAfterUs !== undefined).length,
        stopped: stops.length,
        ...kindsOf(clients),
        looks: company.looks.length,
        notices: company.notices.length,
      };
    },
    timeline: () => timelineOf(observations(), steps),
    violations: () => judged(observations()),
  };
}

/** Draws the faults of a run with these switches. */
function stepsOf(
  kernel: Pick<Kernel, 'stream'>,
  faults: readonly Fault[],
  switches: MemorySwitches,
): ReturnType<typeof drawSteps> {
  const kinds = faults.filter(({ name }) => isOn(switches, name));
  return drawSteps(purpose => kernel.stream(purpose), kinds, switches.faultEveryMs, switches.stormMs);
}

function modeOf({ historySize, recovery }: MemorySwitches): RecoveryMode {
  return historySize === 0 ? 'off' : recovery;
}

interface Times {
  readonly endMs: number;
  readonly channels: readonly string[];
}

function startNode(
  kernel: Kernel,
  plan: Plan,
  switches: MemorySwitches,
  { endMs, channels }: Times,
): PublishingNode {
  const { roadMs, stormMs, lossPercent, lossBeforeSilence, lateOutage } = switches;
  const silentFromMs = kernel.stream('silence').between(stormMs / 6, stormMs);
  const hasLateOutage = roadMs > 0 && lateOutage;
  const node = new PublishingNode(kernel, {
    switches,
    channels: channels.filter((_, i) => plan.channels?.includes(i) ?? true),
    publishUntilMs: endMs - (hasLateOutage ? LATE_OUTAGE_MS.silence : QUIET_MS),
    silentFromMs,
  });
  node.process.startAt(0);
  if (roadMs === 0) return node;
  node.usualLossPercent = lossPercent;
  kernel.at(stormMs, kernel.actor('faults'), 'calm', () => {
    node.usualLossPercent = 0;
  });
  const clear = (): void => void Object.assign(node.road, node.usualRoad);
  if (lossBeforeSilence) loseBetween(kernel, node.road, [silentFromMs - 2000, silentFromMs + 500], clear);
  if (hasLateOutage) {
    const { begin, end } = LATE_OUTAGE_MS;
    loseBetween(kernel, node.road, [endMs - begin, endMs - end], () => {
      clear();
      node.restored();
    });
  }
  return node;
}

function ofTheRoad(kernel: Kernel, node: PublishingNode, { roadMs }: MemorySwitches): readonly Fault[] {
  if (roadMs === 0) return [];
  return roadFaults(
    kernel,
    node.road,
    () => node.usualRoad,
    () => node.restored(),
  );
}
