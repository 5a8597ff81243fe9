import { matchesPattern, type ScopePattern } from '@msg/core/internal';
import type { RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { NodeSurveys, SurveyQuestion, SurveyResult } from '../realtime/node-surveys.ts';
import { BoundedRows } from './bounded-rows.ts';
import { walk } from './walk.ts';

/** Channels that each node names as those with the most subscribers. */
const NAMED = 1000;

/** Which channels of a node are named. */
export interface BusiestQuestion {
  /** A part of the name; empty: any. */
  readonly query: string;
  /** Patterns of which one must match; empty: any. */
  readonly patterns: readonly ScopePattern[];
}

const COUNTS: SurveyQuestion<{ readonly names: readonly string[] }, readonly number[]> = {
  operation: 'msg_channel_counts',
};
const BUSIEST: SurveyQuestion<BusiestQuestion, readonly string[]> = { operation: 'msg_busiest_channels' };

/** Subscribers by channel, of the nodes that answered. */
export interface CountedChannels {
  readonly counts: ReadonlyMap<string, number>;
  readonly missing: SurveyResult<unknown>['missing'];
}

type CountedNode = Pick<RealtimeNode, 'channels' | 'subscriberCount'>;

interface Busy {
  readonly name: string;
  readonly count: number;
}

function compareBusy(a: Busy, b: Busy): number {
  return b.count - a.count || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
}

/** Counts subscribers of many channels on all nodes. */
export class ChannelCounts {
  readonly #node: () => CountedNode;
  readonly #surveys: NodeSurveys;
  readonly #clock: Pick<Clock, 'afterTurn'>;

  constructor(node: () => CountedNode, surveys: NodeSurveys, clock: Pick<Clock, 'afterTurn'>) {
    this.#node = node;
    this.#surveys = surveys;
    this.#clock = clock;
    surveys.answer(COUNTS, ({ names }) => names.map(name => node().subscriberCount(name)));
    surveys.answer(BUSIEST, question => this.#busiestHere(question));
  }

  async of(names: readonly string[]): Promise<CountedChannels> {
    const { answers, missing } = await this.#surveys.ask(COUNTS, { names });
    const counts = new Map(names.map(name => [name, 0]));
    for (const ofNode of answers.values())
      for (const [index, name] of names.entries())
        counts.set(name, (counts.get(name) ?? 0) + (ofNode[index] ?? 0));
    return { counts, missing };
  }

  /** The channels with the most subscribers, the busiest first: each node names its own, then all are counted. */
  async busiest(question: BusiestQuestion): Promise<CountedChannels> {
    const { answers } = await this.#surveys.ask(BUSIEST, question);
    const { counts, missing } = await this.of([...new Set([...answers.values()].flat())]);
    const busy = [...counts].map(([name, count]) => ({ name, count })).sort(compareBusy);
    return { counts: new Map(busy.slice(0, NAMED).map(({ name, count }) => [name, count])), missing };
  }

  async #busiestHere({ query, patterns }: BusiestQuestion): Promise<readonly string[]> {
    const node = this.#node();
    const first = new BoundedRows<Busy>(NAMED, compareBusy);
    await walk(this.#clock, node.channels(), name => {
      if (!name.includes(query)) return;
      const channel = parsed(name);
      if (patterns.length > 0 && !patterns.some(pattern => matchesPattern(pattern, channel))) return;
      first.add({ name, count: node.subscriberCount(name) });
    });
    return first.rows.map(({ name }) => name);
  }
}

/** The parts of a valid name. */
function parsed(name: string): { readonly visibility: string; readonly segments: readonly string[] } {
  const [visibility = '', rest = ''] = name.split(':', 2);
  return { visibility, segments: rest.split('.') };
}
