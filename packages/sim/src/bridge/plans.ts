import { CORPUS, type CorpusEntry, corpusOf } from '../cli/corpus.ts';
import { Kernel } from '../kernel/kernel.ts';
import type { Plan } from '../plan/plan.ts';
import { isFaultOfStandard, STANDARD_CLASSES } from '../plan/standard-classes.ts';
import { drawSteps, type Step, type StepKind } from '../plan/steps.ts';
import { drawSwitches, type Switches, withSimplest } from '../plan/switches.ts';
import { faultsOf } from '../world/standard/faults.ts';
import { Store } from '../world/standard/store.ts';
import { type RealStoreKind, STORE_KINDS } from './real-store.ts';

/** A plan as the bridge plays it. */
export interface BridgePlan {
  /** Of its file in the corpus, or its class and seed. */
  readonly name: string;
  readonly store: RealStoreKind;
  readonly seed: number;
  readonly switches: Switches;
  /** Faults happen, and much is published, for so long. */
  readonly stormMs: number;
  /** Publications end then. */
  readonly quietFromMs: number;
  readonly steps: readonly Step[];
  readonly plan: Pick<Plan, 'clients' | 'channels'>;
  /** A bug that is planted into the nodes; absent: none. */
  readonly mutant?: string;
}

/** All plans of the bridge. */
export const PLANS = 25;
/** So many of them are of the corpus, if it has them. */
const OF_CORPUS = 15;
/** A plan is cut to this, of which the last part is without faults. */
export const LONGEST_SECONDS = 60;
const CALM_PART = 0.25;
/** Every client of a run shares one process with the others. */
const CLIENTS = 8;
const DRAWN = 'storm';

/**
 * Those of the corpus that have a Redis, and drawn ones: each store in turn.
 * @param firstSeed of the drawn ones
 */
export function bridgePlans(firstSeed: number, seconds: number, corpus = corpusOf(CORPUS)): BridgePlan[] {
  const ofCorpus = corpus.filter(({ plan }) => STANDARD_CLASSES.has(plan.class)).slice(0, OF_CORPUS);
  const drawn = Array.from({ length: PLANS - ofCorpus.length }, (_, i) =>
    drawnPlan(firstSeed + i, STORE_KINDS[i % STORE_KINDS.length] ?? 'standalone', seconds),
  );
  return [...ofCorpus.map(entry => plannedPlan(entry, seconds)), ...drawn];
}

function plannedPlan({ name, plan }: CorpusEntry, seconds: number): BridgePlan {
  const { seed, clients, channels } = plan;
  const switches = withSimplest(STANDARD_CLASSES.get(plan.class) ?? [], plan.switches);
  const cut = cutTo(seconds);
  return {
    name,
    store: realKindOf(String(switches['store'])),
    seed,
    switches,
    ...cut,
    steps: plan.steps.filter(({ atMs }) => atMs <= cut.stormMs),
    plan: { clients, channels },
  };
}

/** Stores that differ in their PUB/SUB, or in how streams are spread, are laid out alike. */
function realKindOf(store: string): RealStoreKind {
  if (store === 'sentinel') return 'sentinel';
  return store === 'cluster' || store === 'sharded' ? 'cluster' : 'standalone';
}

/** Draws the switches and faults as the simulation does, but for the store and how many clients there are. */
function drawnPlan(seed: number, store: RealStoreKind, seconds: number): BridgePlan {
  const kernel = new Kernel({ seed: String(seed) });
  const fixed = { store: store === 'sentinel' ? 'sentinel' : 'standalone', clients: CLIENTS };
  const switches = drawSwitches(
    STANDARD_CLASSES.get(DRAWN) ?? [],
    purpose => kernel.stream(purpose),
    // What a part of a cluster loses is not followed.
    store === 'cluster' ? { ...fixed, persistence: 'always' } : fixed,
  );
  const cut = cutTo(seconds);
  const kinds = kindsOfFaults().filter(
    ({ name }) => switches[name] === true && isFaultOfStandard(DRAWN, switches, name),
  );
  const everyMs = Number(switches['faultEveryMs']);
  const steps = drawSteps(purpose => kernel.stream(purpose), kinds, everyMs, cut.stormMs);
  return { name: `${DRAWN} ${seed}`, store, seed, switches, ...cut, steps, plan: {} };
}

/** Names and weights of the faults as the simulation draws them. */
function kindsOfFaults(): readonly StepKind[] {
  const kernel = new Kernel({ seed: 'names' });
  const store = new Store(kernel, 'standalone');
  return faultsOf(kernel, { clients: [], publishers: [], nodes: [], store, persistence: 'always' });
}

function cutTo(seconds: number): Pick<BridgePlan, 'stormMs' | 'quietFromMs'> {
  return { stormMs: seconds * 1000 * (1 - CALM_PART), quietFromMs: seconds * 1000 };
}
