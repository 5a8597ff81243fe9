import { defined } from '@msg/foundation/json';
import type { Actor } from '../../kernel/actor.ts';
import type { WorldKernel } from '../../kernel/world-kernel.ts';
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
import type { StandardSwitches } from '../../plan/standard-switches.ts';
import type { Step } from '../../plan/steps.ts';
import { isInStorm, type Rounds } from '../../plan/timetable.ts';
import { Company } from '../company.ts';
import { countsOf } from '../counts.ts';
import { kindsOf, type StockClient, startClients } from '../stock-client.ts';
import { type Backends, startBackends } from './backends.ts';
import { CLOCK_JUMP } from './faults.ts';
import type { LifecycleTruth } from './lifecycle-truth.ts';
import { lossesOf, type NodeLife, rememberedBy } from './losses.ts';
import { type Night, nightsOf, sendHome } from './nights.ts';
import { pacesOf } from './paces.ts';
import { Publisher } from './publisher.ts';
import type { StreamTruth } from './stream-truth.ts';

/** An entry of a killed node lives 60 s; one that is renewed once more, a tick of 25 s longer. */
const LINGERS_US = 85_000_000;

/** A run in which users meet a service. */
export interface UsersParts {
  readonly switches: StandardSwitches;
  readonly plan: Plan;
  readonly rounds: Rounds;
  /** When clients ask who is in their channels, if the switch says so. */
  readonly looksAtMs: readonly number[];
  /** From then on every node hears what it listens to. */
  readonly hearsFromUs: number;
  /** What its store got. */
  readonly store: { readonly truth: StreamTruth; readonly lifecycle: LifecycleTruth };
  /** What each process of its nodes heard. */
  readonly lives: () => readonly NodeLife[];
}

/** The channels that clients follow. */
export function channelsOf({ channels }: StandardSwitches): readonly string[] {
  return Array.from({ length: channels }, (_, i) => `public:sim.c${i}`);
}

/** Those who use the service of a run: publishers, backends and stock clients, and what they saw of it. */
export class Users {
  readonly publishers: readonly Actor[];
  readonly clients: readonly { readonly actor: Actor; readonly client: StockClient }[];
  readonly #parts: UsersParts;
  readonly #channels: readonly string[];
  readonly #answers: Published[] = [];
  readonly #givenUp: string[] = [];
  readonly #seen: Seen[] = [];
  readonly #ends: EndedSubscription[] = [];
  readonly #stops: Stop[] = [];
  readonly #backends: Backends;
  readonly #company: Company;
  readonly #nights: readonly Night[];

  /** Starts all of them, each an actor of its own. */
  constructor(kernel: WorldKernel, parts: UsersParts) {
    const { switches, plan, rounds, looksAtMs } = parts;
    this.#parts = parts;
    this.#channels = channelsOf(switches);
    const active = this.#channels.filter((_, i) => plan.channels?.includes(i) ?? true);
    this.#nights = switches.nights ? nightsOf(kernel.stream('nights'), rounds.all) : [];
    this.publishers = Array.from({ length: switches.publishers }, (_, i) =>
      this.#startPublisher(kernel, kernel.actor(`publisher ${i}`), active),
    );
    this.#backends = startBackends(kernel, switches, rounds.last.quietFromMs);
    this.#company = new Company(kernel, {
      lingersUs: LINGERS_US,
      isToldAll: false, // E6
      looksAtMs: switches.presence ? looksAtMs : [],
    });
    this.clients = this.#startApplications(kernel);
    sendHome(kernel, this.clients, this.#nights);
  }

  #startPublisher(kernel: WorldKernel, actor: Actor, channels: readonly string[]): Actor {
    const { switches, rounds } = this.#parts;
    const told = { answers: this.#answers, givenUp: this.#givenUp };
    const nights = this.#nights;
    const parts = { ...told, switches, channels, rounds: rounds.all, nights };
    const publisher = new Publisher(kernel, actor, parts);
    kernel.at(500, actor, 'start', () => publisher.start());
    return actor;
  }

  /** Starts the stock clients, and what their applications see. */
  #startApplications(kernel: WorldKernel): Users['clients'] {
    const { switches, plan, rounds } = this.#parts;
    return startClients(kernel, {
      count: switches.clients,
      only: plan.clients,
      channels: this.#channels,
      onlyChannels: plan.channels,
      kinds: switches,
      options: defined({
        joinLeave: switches.joinLeave,
        delta: switches.delta ? ('fossil' as const) : undefined,
      }),
      churnUntilMs: switches.churn ? rounds.last.calmFromMs : 0,
      churns: ms => isInStorm(rounds, ms),
      churnPausesMs: pacesOf(switches).churn,
      seen: event => this.#seen.push(event),
      ended: end => this.#ends.push(end),
      stopped: stop => this.#stops.push(stop),
      company: this.#company,
    });
  }

  rests(): readonly Rest[] {
    return this.clients.flatMap(({ client }) => client.rests());
  }

  /** Those lost by a fail-over that a node still knows, which has listened ever since until a moment. */
  remembered(untilUs: number): ReadonlySet<Published> {
    return rememberedBy(this.#parts.lives(), this.#parts.store.truth.published, untilUs);
  }

  /** Everything that the oracles judge of a run with these faults. */
  observations(steps: readonly Step[], endUs: number): Observations {
    const { switches, store, lives, hearsFromUs } = this.#parts;
    const { published, wipedAtUs, forks, renewals } = store.truth;
    const channels = this.#channels;
    return {
      published,
      remembered: this.remembered(hearsFromUs),
      answers: this.#answers,
      losses: lossesOf(published, lives(), { wipedAtUs, forks, renewals, channels }),
      hearsFromUs,
      heardUs: publication => Math.max(0, ...lives().map(life => life.heardUs(publication) ?? 0)),
      wipedAtUs,
      forks,
      renewals,
      skewedFromUs:
        1000 * Math.min(...steps.filter(({ name }) => name === CLOCK_JUMP).map(({ atMs }) => atMs)),
      seen: this.#seen,
      ends: this.#ends,
      stops: this.#stops,
      company: this.#company,
      retention: { size: switches.historySize, ttlMs: switches.historyTtlMs },
      mode: switches.recovery as Observations['mode'] & string,
      isPublishedOnce: true,
      ...this.#backends.observations(),
      changes: store.lifecycle.changes,
      rests: this.rests(),
      endUs,
    };
  }

  /** What was counted of a run. */
  counts(all: Observations, happened: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
    const { published, losses = [], wipedAtUs = [], forks = [], renewals = [], changes = [] } = all;
    return {
      ...countsOf(all, happened),
      lost: losses.length,
      wiped: wipedAtUs.length,
      promoted: forks.length,
      'tail lost': published.filter(({ lostUs }) => lostUs !== undefined).length,
      renewed: renewals.length,
      'exceptions E1': excusedLostTails(all).length,
      'heard again': excusedRepeats(all),
      ...this.#backends.counts(),
      'channel changes': changes.length,
      'channels ended': changes.filter(({ state }) => state !== 'open').length,
      'given up': this.#givenUp.length,
      ended: this.#ends.length,
      stopped: this.#stops.length,
      ...kindsOf(this.clients),
      looks: this.#company.looks.length,
      notices: this.#company.notices.length,
    };
  }
}
