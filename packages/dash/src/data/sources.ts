import type { LookupAddress } from 'node:dns';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { chain, isPromise } from '@msg/foundation/promises';
import { DashError } from '../errors.ts';
import type { ResolvedConnection, ResolvedNode, ResolvedTree } from '../resolve/tree.ts';
import { AtMostEvery } from './at-most-every.ts';
import { type BoundNode, type HeldQueries, isHeld, queryName, questionsOf } from './bound-nodes.ts';
import { connectionSettings } from './connection-settings.ts';
import type { ItemAnswer, ItemData, Row, TimeWindow } from './contract.ts';
import { AllowedOrigins } from './dial/allowed-origins.ts';
import { checkedLookup, systemResolve } from './dial/lookup.ts';
import { arrived, failed, overrideForbidden } from './item-data.ts';
import { isRunBy } from './kind-of.ts';
import { DATA_SOURCE_KINDS } from './kinds.ts';
import { Planner } from './planner.ts';
import { type KnownOutcome, Queries, type Query } from './queries.ts';
import { type Environment, Secrets, secretMissing } from './secrets.ts';
import type { DataSourceKind } from './source.ts';

/** How often a page is told at most that the rows of a connection have changed. */
const CHANGES_MS = 1_000;

/** Why an item cannot show the rows of its connection, such as RESULT_SHAPE_INVALID; undefined when it can. */
export type RowsError = (node: ResolvedNode, rows: readonly Row[]) => DashError | undefined;

/** What the operator allows, and where names and secrets come from. */
export interface QuerySettings {
  /** Origins that may be asked; none by default. */
  readonly allowed?: AllowedOrigins;
  /** Variables with the secrets; `process.env` by default. */
  readonly environment?: Environment;
  /** Resolves the names of hosts; the system by default. */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
}

export interface DataSourcesOptions extends QuerySettings {
  readonly rowsError: RowsError;
  readonly kinds?: readonly DataSourceKind[];
  readonly clock?: Clock;
}

/** What is asked of the sources of a tree. */
export interface AskOptions {
  /** The span of time that the page looks at. */
  readonly window?: TimeWindow | undefined;
  /** Only these items are asked for. */
  readonly only?: ReadonlySet<string> | undefined;
  /** Pixels of the widths of items, by node id. */
  readonly widths?: ReadonlyMap<string, number>;
  /** Items whose query or connection a runtime override has set: these are not asked. */
  readonly overridden?: ReadonlySet<string>;
  /** Aborts when the answers are not waited for any more. */
  readonly leaving?: AbortSignal | undefined;
  readonly held?: HeldQueries | undefined;
}

/**
 * Runs the queries of bound items: each distinct one once, however many items and pages ask for it. A failing query is
 * the state of its items, never a failure of the page.
 */
export class DataSources {
  readonly #kinds: readonly DataSourceKind[];
  readonly #queries: Queries;
  readonly #planner: Planner;
  readonly #rowsError: RowsError;
  readonly #clock: Clock;

  constructor(options: DataSourcesOptions) {
    const { kinds = DATA_SOURCE_KINDS, allowed = new AllowedOrigins(), clock = systemClock } = options;
    const { environment = process.env, resolve = systemResolve, rowsError } = options;
    this.#kinds = kinds;
    this.#rowsError = rowsError;
    this.#clock = clock;
    const secrets = new Secrets(environment);
    this.#planner = new Planner(clock, allowed, secrets);
    const upstreamText = (text: string): string => secrets.masking.upstream(text);
    this.#queries = new Queries({ clock, secrets, lookup: checkedLookup(resolve), upstreamText });
  }

  /** True when some connection of the tree is asked about a span of time. */
  isTimed({ connections = [] }: ResolvedTree): boolean {
    return connections.some(connection => this.#kindOf(connection)?.timed === true);
  }

  /** Seconds after which a page of the tree asks again by itself; undefined when no connection says so. */
  refreshOf({ connections = [] }: ResolvedTree): number | undefined {
    const intervals = connections
      .filter(connection => this.#kindOf(connection)?.atHand === false)
      .map(({ config = {} }) => connectionSettings(config).refresh)
      .filter(seconds => seconds !== undefined);
    return intervals.length === 0 ? undefined : Math.min(...intervals);
  }

  /** Asks for the rows of every bound item, or of those in `only`; answered by node id. */
  ask(tree: ResolvedTree, options: AskOptions = {}): Map<string, ItemAnswer> {
    const answers = new Map<string, ItemAnswer>();
    for (const { node, connection } of questionsOf(tree)) {
      if (options.only?.has(node.id) === false) continue;
      answers.set(node.id, this.#answer(connection, node, options));
    }
    return answers;
  }

  /** Names of the queries of a tree: equal for equal questions to equal connections. */
  queriesOf(tree: ResolvedTree): Set<string> {
    return new Set([...questionsOf(tree)].map(({ connection, node }) => queryName(connection, node.binding)));
  }

  /**
   * Calls back with the items of live connections when their rows have changed, at most once a second for each
   * connection, until the answered function is called. A connection that must not be asked is left out: its items say why.
   */
  watch(tree: ResolvedTree, onItems: (ids: readonly string[]) => void): () => void {
    const stops: (() => void)[] = [];
    for (const [connection, questions] of Map.groupBy(questionsOf(tree), question => question.connection)) {
      const kind = this.#kindOf(connection);
      if (kind?.live !== true || !this.#mayAsk(kind, connection)) continue;
      const ids = questions.map(({ node }) => node.id);
      const changes = new AtMostEvery(this.#clock, CHANGES_MS, () => onItems(ids));
      stops.push(
        this.#queries.watch(kind, connection, () => changes.ask()),
        () => changes.stop(),
      );
    }
    return () => {
      for (const stop of stops) stop();
    };
  }

  /** Ends what the sources keep open. */
  close(): Promise<void> {
    return this.#queries.close();
  }

  #mayAsk(kind: DataSourceKind, connection: ResolvedConnection): boolean {
    if ((connection.missingSecrets ?? []).length > 0) return false;
    try {
      this.#planner.requireAllowed(kind, connection);
      return true;
    } catch (error) {
      if (error instanceof DashError) return false;
      throw error;
    }
  }

  #answer(connection: ResolvedConnection, node: BoundNode, options: AskOptions): ItemAnswer {
    const kind = this.#kindOf(connection);
    if (kind === undefined) return { now: { state: 'not-asked', connectionType: connection.type.name } };
    try {
      const { missingSecrets = [] } = connection;
      if (missingSecrets.length > 0) throw secretMissing(missingSecrets);
      if (kind.atHand) {
        return { now: this.#checked(node, arrived(this.#queries.atHand(kind, connection), {})) };
      }
      if (isHeld(kind, connection, node.binding, options.held)) {
        const { query } = node.binding;
        return { now: { state: 'held', connectionType: connection.type.name, query } };
      }
      if (options.overridden?.has(node.id) === true) throw overrideForbidden(node.id);
      const width = options.widths?.get(node.id);
      const query = this.#planner.plan(kind, connection, node.binding.query, { ...options, width });
      return this.#asked(node, query, options.leaving);
    } catch (error) {
      if (error instanceof DashError) return { now: failed(error) };
      throw error;
    }
  }

  #asked(node: BoundNode, query: Query, leaving: AbortSignal | undefined): ItemAnswer {
    const shown = chain(this.#queries.ask(query, leaving), outcome =>
      this.#checked(node, this.#dataOf(query, outcome)),
    );
    if (!isPromise(shown)) return { now: shown };
    return { now: { state: 'loading', connectionId: query.connection.id }, later: shown };
  }

  #dataOf(query: Query, { outcome, ageMs }: KnownOutcome): ItemData {
    if ('data' in outcome) {
      const { window, query: asked } = query.plan;
      return arrived(outcome.data, { ...defined({ window }), ageMs, tookMs: outcome.tookMs, asked });
    }
    const error = failed(outcome.error);
    const last = this.#queries.last(query);
    return last === undefined ? error : { state: 'stale', ...last, error: error.error };
  }

  /** Rows of a query as one of its items may show them. */
  #checked(node: BoundNode, data: ItemData): ItemData {
    const error = 'data' in data ? this.#rowsError(node, data.data.rows) : undefined;
    return error === undefined ? data : failed(error);
  }

  #kindOf({ type }: ResolvedConnection): DataSourceKind | undefined {
    return this.#kinds.find(kind => isRunBy(kind, type));
  }
}
