import type { RealtimeNode } from '@msg/engine';
import type { Clock } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { TokenType, VerifiedToken } from '../auth/tokens/claims.ts';
import { connectionToken, subscriptionToken } from '../realtime/credentials.ts';
import type { NodeSurveys, SurveyQuestion, SurveyResult } from '../realtime/node-surveys.ts';
import { walk } from './walk.ts';

/** Holders that an answer names, of each key. */
const MAX_HOLDERS = 50;

/** A subject that presented a token of a key. */
interface KeyHolder {
  readonly kid: string;
  readonly sub: string;
  readonly type: TokenType;
  /** Unix milliseconds. */
  readonly seenAt: number;
  /** Unix seconds. */
  readonly exp: number;
}

interface Live {
  readonly connections: number;
  readonly subscriptions: number;
}

/** What rests on the keys on one node. */
interface NodeKeyUse {
  readonly live: Readonly<Record<string, Live>>;
  readonly holders: readonly KeyHolder[];
  /** Sessions of the console by key; absent in answers of older nodes. */
  readonly sessions?: Readonly<Record<string, number>>;
  /** They are those of all nodes. */
  readonly sharesSessions?: boolean;
  /** What the node knows of keys, and may not have stored yet. */
  readonly moments: readonly (readonly [entry: string, moment: number])[];
}

/** What rests on the keys on all nodes that answered. */
export interface ClusterKeyUse {
  readonly live: ReadonlyMap<string, Live>;
  /** Sessions of the console by key. */
  readonly sessions: ReadonlyMap<string, number>;
  /** By key; the most recent first. */
  readonly holders: ReadonlyMap<string, readonly KeyHolder[]>;
  readonly moments: readonly (readonly [entry: string, moment: number])[];
  readonly missing: SurveyResult<unknown>['missing'];
}

const KEY_USE: SurveyQuestion<null, NodeKeyUse> = { operation: 'msg_key_use' };
const NOTHING: Live = { connections: 0, subscriptions: 0 };

export interface KeyUseParts {
  readonly node: () => Pick<RealtimeNode, 'connections'>;
  readonly surveys: NodeSurveys;
  readonly clock: Pick<Clock, 'afterTurn'>;
  /** What the verifier has cached. */
  readonly tokens: () => Iterable<VerifiedToken>;
  readonly moments: () => Iterable<readonly [entry: string, moment: number]>;
}

/** The sessions of the console that this node knows. */
export interface SessionCounts {
  /** They are those of all nodes. */
  readonly isShared: boolean;
  byKey(): MaybePromise<ReadonlyMap<string, number>>;
}

/** Who uses the signing keys right now: each node answers for its connections and its cache. */
export class KeyUse {
  readonly #parts: KeyUseParts;
  #sessions: SessionCounts | undefined;

  constructor(parts: KeyUseParts) {
    this.#parts = parts;
    parts.surveys.answer(KEY_USE, () => this.#here());
  }

  /** Counts the sessions of a console too. */
  countSessions(sessions: SessionCounts): void {
    this.#sessions = sessions;
  }

  async everywhere(): Promise<ClusterKeyUse> {
    const { answers, missing } = await this.#parts.surveys.ask(KEY_USE, null);
    const live = new Map<string, Live>();
    const uses = [...answers.values()];
    for (const [kid, count] of uses.flatMap(use => Object.entries(use.live)))
      live.set(kid, sum(live.get(kid) ?? NOTHING, count));
    const holders = latestHolders(uses.flatMap(use => use.holders));
    return { live, sessions: sessionsOf(uses), holders, moments: uses.flatMap(use => use.moments), missing };
  }

  async #here(): Promise<NodeKeyUse> {
    const { node, clock, tokens, moments } = this.#parts;
    const live = new Map<string, Live>();
    const add = (kid: string, count: Live): void => {
      live.set(kid, sum(live.get(kid) ?? NOTHING, count));
    };
    await walk(clock, node().connections.all(), ({ client }) => {
      const kid = connectionToken(client)?.kid;
      if (kid !== undefined) add(kid, { connections: 1, subscriptions: 0 });
    });
    await walk(clock, allSubscriptions(node()), ({ client, channel }) => {
      const kid = subscriptionToken(client, channel)?.kid;
      if (kid !== undefined) add(kid, { connections: 0, subscriptions: 1 });
    });
    const holders: KeyHolder[] = [];
    await walk(clock, tokens(), ({ kid, subject, claims, seenAt, fingerprint }) => {
      // A bearer of the identity provider has no key of the service.
      if (seenAt === 0 || fingerprint === '') return;
      holders.push({ kid, sub: subject, type: claims.typ, seenAt, exp: claims.exp });
    });
    return {
      live: Object.fromEntries(live),
      sessions: Object.fromEntries((await this.#sessions?.byKey()) ?? []),
      sharesSessions: this.#sessions?.isShared ?? false,
      holders: [...latestHolders(holders).values()].flat(),
      moments: [...moments()],
    };
  }
}

function* allSubscriptions(node: Pick<RealtimeNode, 'connections'>) {
  for (const connection of node.connections.all()) yield* connection.subscriptions();
}

function sessionsOf(uses: readonly NodeKeyUse[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { sessions = {}, sharesSessions = false } of uses)
    for (const [kid, count] of Object.entries(sessions)) {
      const before = counts.get(kid) ?? 0;
      counts.set(kid, sharesSessions ? Math.max(before, count) : before + count);
    }
  return counts;
}

function sum(a: Live, b: Live): Live {
  return { connections: a.connections + b.connections, subscriptions: a.subscriptions + b.subscriptions };
}

/** Of each key the holders that were seen last, each once by subject and type. */
function latestHolders(holders: readonly KeyHolder[]): ReadonlyMap<string, readonly KeyHolder[]> {
  const latest = new Map<string, KeyHolder>();
  for (const holder of holders) {
    const name = JSON.stringify([holder.kid, holder.type, holder.sub]);
    const earlier = latest.get(name);
    if (earlier === undefined || earlier.seenAt < holder.seenAt) latest.set(name, holder);
  }
  const byKey = new Map<string, KeyHolder[]>();
  for (const holder of [...latest.values()].sort((a, b) => b.seenAt - a.seenAt)) {
    const listed = byKey.get(holder.kid) ?? [];
    byKey.set(holder.kid, listed);
    if (listed.length < MAX_HOLDERS) listed.push(holder);
  }
  return byKey;
}
