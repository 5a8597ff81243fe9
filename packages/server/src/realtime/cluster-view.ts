import { MsgError } from '@msg/core';
import type { RealtimeNode, SurveyAnswer } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import { storeReadFailure } from '../stores/redis/store-failure.ts';
import { NamePattern } from './name-pattern.ts';
import { byProcess } from './processes.ts';

/** The surveys for channels and for facts of nodes. */
const CHANNELS = 'msg_channels';
const NODE = 'msg_node';
const MATCH_ALL = '';
/** Code of an answer with more channels than the limit. */
const TOO_MANY = 413;

/** One node for the other nodes. */
export interface NodeView {
  readonly uid: string;
  readonly name: string;
  readonly version: string;
  readonly num_clients: number;
  readonly num_users: number;
  readonly num_channels: number;
  readonly num_subs: number;
  /** Seconds. */
  readonly uptime: number;
  /** CPU seconds used so far, and bytes of memory. */
  readonly process: { readonly cpu: number; readonly rss: number };
}

export type SurveyedNode = Pick<RealtimeNode, 'id' | 'channels' | 'subscriberCount' | 'clients'>;
export type ViewingNode = Pick<RealtimeNode, 'operational' | 'nodes' | 'survey'>;

/** The facts of this node for others. */
export interface OwnFacts {
  readonly version: string;
  readonly clock: Pick<Clock, 'monotonic'>;
  /** Monotonic time of the service's creation. */
  readonly startedAt: number;
}

function encoded(value: unknown): SurveyAnswer {
  return { code: 0, data: new TextEncoder().encode(JSON.stringify(value)) };
}

function decoded(data: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(data));
}

/** Answers a survey of a {@link ClusterView}; undefined for another one. */
export function answerView(
  node: SurveyedNode,
  facts: OwnFacts,
  operation: string,
  data: Uint8Array,
): SurveyAnswer | undefined {
  if (operation === NODE) return encoded(ownView(node, facts));
  if (operation !== CHANNELS) return undefined;
  const { pattern, most } = decoded(data) as { pattern: string; most: number }; // as `channels` below writes it
  const matches = pattern === MATCH_ALL ? undefined : new NamePattern(pattern);
  const counts: Record<string, number> = {};
  let count = 0;
  for (const name of node.channels()) {
    if (matches?.matches(name) === false) continue;
    const subscribers = node.subscriberCount(name);
    if (subscribers === 0) continue;
    if (++count > most) return { code: TOO_MANY, data: new Uint8Array(0) };
    counts[name] = subscribers;
  }
  return encoded(counts);
}

function ownView(node: SurveyedNode, { version, clock, startedAt }: OwnFacts): NodeView {
  const clients = [...node.clients()];
  const channels = [...node.channels()];
  const { user, system } = process.cpuUsage();
  return {
    uid: node.id,
    name: node.id,
    version,
    num_clients: clients.length,
    num_users: new Set(clients.map(client => client.user)).size,
    num_channels: channels.length,
    num_subs: channels.reduce((sum, channel) => sum + node.subscriberCount(channel), 0),
    uptime: Math.floor((clock.monotonic() - startedAt) / 1000),
    process: { cpu: (user + system) / 1e6, rss: process.memoryUsage.rss() },
  };
}

/** The views of processes: one with threads is one node. A user counts on each thread, a channel on the one that has most. */
function processViews(views: readonly NodeView[]): readonly NodeView[] {
  return Array.from(
    byProcess(views, ({ uid }) => uid),
    ([uid, all]) => {
      const sum = (of: (view: NodeView) => number): number =>
        all.reduce((count, view) => count + of(view), 0);
      const main = all.find(view => view.uid === uid) ?? all[0];
      return {
        ...main,
        uid,
        name: uid,
        num_clients: sum(view => view.num_clients),
        num_users: sum(view => view.num_users),
        num_channels: Math.max(...all.map(view => view.num_channels)),
        num_subs: sum(view => view.num_subs),
      };
    },
  );
}

/** The channels and facts of all nodes at this moment. */
export class ClusterView {
  readonly #node: () => ViewingNode;

  constructor(node: () => ViewingNode) {
    this.#node = node;
  }

  /**
   * The number of live subscribers by channel. `pattern`: see {@link NamePattern}; empty: all channels.
   * @returns undefined for more channels than `most`
   * @throws MsgError MSG_INVALID_ARGUMENT for a bad pattern, MSG_BROKER_NOT_READY, MSG_BROKER_INTERNAL when a live node
   * does not answer; as rejection.
   */
  async channels(pattern: string, most: number): Promise<ReadonlyMap<string, number> | undefined> {
    if (pattern !== MATCH_ALL) NamePattern.check(pattern);
    const question = new TextEncoder().encode(JSON.stringify({ pattern, most }));
    const counts = new Map<string, number>();
    for (const { code, data } of await this.#ask(CHANNELS, question)) {
      if (code === TOO_MANY) return undefined;
      const ofNode = decoded(data) as Readonly<Record<string, number>>; // as `answerView` above writes it
      for (const [name, count] of Object.entries(ofNode)) counts.set(name, (counts.get(name) ?? 0) + count);
    }
    return counts.size > most ? undefined : counts;
  }

  /** The live nodes. @throws MsgError as {@link channels}. */
  async nodes(): Promise<readonly NodeView[]> {
    const answers = await this.#ask(NODE, new Uint8Array(0));
    return processViews(answers.map(({ data }) => decoded(data) as NodeView)); // as `answerView` above writes it
  }

  async #ask(operation: string, question: Uint8Array): Promise<readonly SurveyAnswer[]> {
    const node = this.#node();
    if (!node.operational) throw new MsgError('MSG_BROKER_NOT_READY', 'the broker is not running');
    try {
      const answers = await node.survey(operation, question);
      const silent = node.nodes().filter(id => ![0, TOO_MANY].includes(answers.get(id)?.code ?? -1));
      if (silent.length > 0) throw new Error(`no answer from ${silent.join(', ')}`);
      return [...answers.values()];
    } catch (cause) {
      const failure = storeReadFailure(cause);
      if (failure !== undefined) throw failure;
      throw new MsgError('MSG_BROKER_INTERNAL', 'not all nodes answered', { cause });
    }
  }
}
