import { defined } from '@msg/foundation/json';
import { eventually } from '@msg/testkit';
import { firstOfEach, ORACLES } from '../oracles/all.ts';
import { lostTailIsTold } from '../oracles/e1-lost-tail.ts';
import { liveness } from '../oracles/o29-liveness.ts';
import type { Observations, Violation } from '../oracles/observations.ts';
import { standardSwitches } from '../plan/standard-switches.ts';
import type { Step } from '../plan/steps.ts';
import { timelineText } from '../plan/timeline.ts';
import type { Rounds } from '../plan/timetable.ts';
import { playSteps } from '../world/faults.ts';
import { channelsOf, Users } from '../world/standard/users.ts';
import { timelineOf } from '../world/timeline.ts';
import { realFaults, WITHOUT_COUNTERPART } from './faults.ts';
import { Masters } from './masters.ts';
import type { BridgePlan } from './plans.ts';
import { RealKernel } from './real-kernel.ts';
import type { Gate, RealPersistence, RealStore } from './real-store.ts';
import type { BridgeRun } from './result.ts';
import { Road } from './road.ts';
import { Roads } from './roads.ts';
import { Sentinels } from './sentinels.ts';
import { ServiceProcess } from './service-process.ts';
import { untold } from './untold.ts';

/** A machine that is busy takes its time to start some processes. */
const START_MS = 180_000;
/** So long after the last fault everything has to be as it should. */
const AT_REST_MS = 120_000;
/** After the last publication everything has so long to arrive before it is looked at first. */
const ARRIVES_MS = 2000;
/** A client whose connection died without a word notices it by its missing pings, after 35 s. */
const NOTICED_MS = 40_000;
/** From the end of the faults on, nodes connect again for so long. */
const SETTLED_MS = 20_000;
const LOOKED_EVERY_MS = 1000;

/** Oracles that judge where clients are: asked until they are content, for as long as they give. */
const OF_THE_END = [liveness, lostTailIsTold];

/** Plays a plan on real sockets, servers and processes, in real time; what it starts has ended afterwards. */
export async function playForReal(plan: BridgePlan, escaped: readonly string[]): Promise<BridgeRun> {
  const run = new RealRun(plan);
  try {
    await run.start();
    await run.untilTheEnd();
    await run.compareTruth();
    return run.result(escaped);
  } finally {
    await run.stop();
  }
}

/** Whether what judges the end is content. */
function isAtRest(observations: Observations): boolean {
  return OF_THE_END.every(oracle => oracle.judge(observations).length === 0);
}

/** Whether a promise is broken that has nothing to do with the end. */
function isBroken(observations: Observations): boolean {
  return ORACLES.some(oracle => !oracle.judgesTheEnd && oracle.judge(observations).length > 0);
}

/** One run: what was started for it, and what it came to. */
class RealRun {
  readonly #plan: BridgePlan;
  readonly #kernel: RealKernel;
  readonly #rounds: Rounds;
  readonly #steps: readonly Step[];
  /** When clients ask who is in their channels, where they do. */
  readonly #looksAtMs: number;
  readonly #nodes: ServiceProcess[] = [];
  readonly #nodeRoads: Road[] = [];
  /** What a fault that goes on by itself failed with. */
  readonly #failures: string[] = [];
  #happened: ReadonlyMap<string, number> = new Map();
  /** Another promise was broken before the end. */
  #isCutShort = false;
  #roads: Roads | undefined;
  #store: RealStore | undefined;
  #users: Users | undefined;

  constructor(plan: BridgePlan) {
    this.#plan = plan;
    const { stormMs, quietFromMs, steps, switches } = plan;
    const looksAtMs = switches['presence'] === true ? stormMs + NOTICED_MS : 0;
    const endMs = Math.max(quietFromMs, looksAtMs) + ARRIVES_MS;
    const round = { fromMs: 0, calmFromMs: stormMs, quietFromMs, endMs };
    this.#looksAtMs = looksAtMs;
    this.#rounds = { earlier: [], last: round, all: [round] };
    this.#steps = steps.filter(({ name }) => WITHOUT_COUNTERPART[name] === undefined);
    this.#kernel = new RealKernel(String(plan.seed), actor => `127.0.0.1:${this.#roads?.of(actor).port}`);
  }

  async start(): Promise<void> {
    const kernel = this.#kernel;
    const switches = standardSwitches(this.#plan.switches);
    const persistence = switches.persistence as RealPersistence;
    const gate: Gate = (port, isOpen) => {
      for (const { roads } of this.#nodes)
        if (isOpen) roads.get(port)?.open();
        else roads.get(port)?.close();
    };
    const store = await this.#startStore(persistence, gate);
    this.#store = store;
    const named = (what: string, count: number): string[] =>
      Array.from({ length: count }, (_, i) => `${what} ${i}`);
    const names = [...named('client', switches.clients), ...named('publisher', switches.publishers)];
    this.#roads = await Roads.to(kernel, names, () => this.#nodes);
    for (const name of named('node', switches.nodes)) {
      const roads = new Map<number, Road>();
      for (const port of store.ports) roads.set(port, await Road.to(kernel, { host: '127.0.0.1', port }));
      this.#nodeRoads.push(...roads.values());
      this.#nodes.push(
        new ServiceProcess(kernel, name, {
          switches: this.#plan.switches,
          address: store.address,
          mutant: this.#plan.mutant,
          roads,
        }),
      );
    }
    for (const node of this.#nodes) node.start();
    await eventually(
      'every node listens',
      () => this.#nodes.every(({ port }) => port !== undefined),
      START_MS,
    );
    kernel.begin();
    this.#begin(store, persistence);
  }

  #startStore(persistence: RealPersistence, gate: Gate): Promise<RealStore> {
    const { store } = this.#plan;
    const parts = { persistence, gate };
    if (store === 'sentinel') return Sentinels.start(this.#kernel, parts);
    return Masters.start(this.#kernel, store, parts);
  }

  /** Starts the users, as the simulation does, and lets the faults happen. */
  #begin(store: RealStore, persistence: RealPersistence): void {
    const kernel = this.#kernel;
    const { last } = this.#rounds;
    const users = new Users(kernel, {
      switches: standardSwitches(this.#plan.switches),
      plan: this.#plan.plan,
      rounds: this.#rounds,
      looksAtMs: [this.#looksAtMs],
      hearsFromUs: (last.calmFromMs + SETTLED_MS) * 1000,
      store: store.tapped,
      lives: () => this.#nodes.flatMap(({ lives }) => lives),
    });
    this.#users = users;
    const roads = this.#roads as Roads; // set by start
    const faults = realFaults(kernel, {
      clients: users.clients.map(({ actor }) => actor),
      publishers: users.publishers,
      nodes: this.#nodes,
      store,
      persistence,
      roadOf: actor => roads.of(actor),
      calmFromMs: last.calmFromMs,
      going: work => void work.catch((error: unknown) => this.#failures.push(String(error))),
    });
    this.#happened = playSteps(kernel, faults, this.#steps);
  }

  /** Resolves when nothing is left to come, or the time for it is over. */
  async untilTheEnd(): Promise<void> {
    const { calmFromMs, endMs } = this.#rounds.last;
    const until = (ms: number): Promise<void> =>
      new Promise(resolve => this.#kernel.at(ms, this.#kernel.actor('observer'), 'look', resolve));
    for (let nowMs = endMs; ; nowMs += LOOKED_EVERY_MS) {
      await until(nowMs);
      const observations = this.#observations();
      this.#isCutShort = isBroken(observations);
      if (nowMs >= calmFromMs + AT_REST_MS || this.#isCutShort || isAtRest(observations)) return;
    }
  }

  #observations(): Observations {
    const users = this.#users as Users; // begun before
    return users.observations(this.#steps, this.#kernel.nowUs);
  }

  /** What the servers have in the end must have been told. */
  async compareTruth(): Promise<void> {
    const { switches } = this.#plan;
    const missed = await untold(this.#store as RealStore, channelsOf(standardSwitches(switches))); // it has started
    this.#failures.push(...missed.map(entry => `no tap told ${entry}`));
  }

  result(escaped: readonly string[]): BridgeRun {
    const { name, store, steps } = this.#plan;
    const observations = this.#observations();
    const users = this.#users as Users;
    const skipped = steps.filter(step => !this.#steps.includes(step));
    const violations = firstOfEach([...this.#judged(observations), ...this.#escaped(escaped)]);
    return {
      name,
      store,
      seconds: this.#kernel.nowUs / 1_000_000,
      counts: {
        ...users.counts(observations, this.#happened),
        starts: this.#nodes.reduce((sum, { starts }) => sum + starts, 0),
      },
      played: Object.fromEntries(this.#happened),
      skipped: Object.fromEntries(
        [...Map.groupBy(skipped, step => step.name)].map(([kind, same]) => [kind, same.length]),
      ),
      violations,
      ...defined({ timeline: this.#told(observations, violations) }),
    };
  }

  /** A run that was cut short says nothing about its end. */
  #judged(observations: Observations): readonly Violation[] {
    const asked = ORACLES.filter(({ judgesTheEnd }) => !this.#isCutShort || judgesTheEnd !== true);
    return asked.flatMap(oracle => oracle.judge(observations));
  }

  #told(observations: Observations, violations: readonly Violation[]): string | undefined {
    const [first] = violations.toSorted((a, b) => a.atUs - b.atUs);
    if (first === undefined) return undefined;
    return timelineText(timelineOf(observations, this.#steps), first.atUs, `${first.oracle}: ${first.text}`);
  }

  /** Errors that nothing caught: in this process, in a node, and of a fault that could not be played. */
  #escaped(escaped: readonly string[]): readonly Violation[] {
    const crashes = this.#nodes.flatMap(node => node.crashes);
    return [...escaped, ...crashes, ...this.#failures].map(text => ({
      oracle: 'O39',
      atUs: this.#kernel.nowUs,
      text: `an error escaped: ${text}`,
    }));
  }

  async stop(): Promise<void> {
    this.#kernel.stop();
    await Promise.all(this.#nodes.map(node => node.stop()));
    await Promise.all(this.#nodeRoads.map(road => road.stop()));
    await this.#roads?.stop();
    await this.#store?.stop();
  }
}
