import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { chain, isPromise, type MaybePromise, recover, withDeadline } from '@msg/foundation/promises';
import { canonicalText } from '../document/canonical.ts';
import { DashError } from '../errors.ts';
import type { ResolvedBinding, ResolvedConnection, ResolvedNode, ResolvedTree } from '../resolve/tree.ts';
import type { DataRows, DataSource, DataSourceKind, ItemAnswer, ItemData, TimeWindow } from './contract.ts';
import { DATA_SOURCE_KINDS } from './kinds.ts';
import { LastRows } from './last-rows.ts';

/** How long one query may take. */
const QUERY_MS = 10_000;

export interface DataSourcesOptions {
  readonly kinds?: readonly DataSourceKind[];
  readonly clock?: Clock;
}

/**
 * Runs the queries of bound items: each distinct one once, however many items and pages ask for it at the same time. A
 * failing query is the state of its items, never a failure of the page.
 */
export class DataSources {
  readonly #kinds: ReadonlyMap<string, DataSourceKind>;
  readonly #open = new Map<string, DataSource>();
  readonly #running = new Map<string, Promise<ItemData>>();
  readonly #last: LastRows;
  readonly #clock: Clock;

  constructor({ kinds = DATA_SOURCE_KINDS, clock = systemClock }: DataSourcesOptions = {}) {
    this.#kinds = new Map(kinds.map(kind => [kind.type, kind]));
    this.#clock = clock;
    this.#last = new LastRows(clock);
  }

  /** True when some connection of the tree is asked about a span of time. */
  isTimed({ connections = [] }: ResolvedTree): boolean {
    return connections.some(({ type }) => this.#kinds.get(type.name)?.timed === true);
  }

  /** Asks for the rows of every bound item, or of those in `only`; answered by node id. */
  ask(
    tree: ResolvedTree,
    window: TimeWindow | undefined,
    only?: ReadonlySet<string>,
  ): Map<string, ItemAnswer> {
    const connections = new Map((tree.connections ?? []).map(connection => [connection.id, connection]));
    const answers = new Map<string, ItemAnswer>();
    for (const { id, binding } of boundNodes(tree.root)) {
      const connection = connections.get(binding.connectionId);
      if (connection === undefined || only?.has(id) === false) continue;
      answers.set(id, this.#answer(connection, binding, window));
    }
    return answers;
  }

  #answer(
    connection: ResolvedConnection,
    binding: ResolvedBinding,
    window: TimeWindow | undefined,
  ): ItemAnswer {
    const kind = this.#kinds.get(connection.type.name);
    if (kind === undefined) return { now: { state: 'not-asked', connectionType: connection.type.name } };
    const { missingSecrets = [] } = connection;
    if (missingSecrets.length > 0) return { now: failed(secretMissing(missingSecrets)) };
    if (kind.atHand) return { now: this.#atHand(kind, connection, binding) };
    const span = kind.timed ? window : undefined;
    const query = canonicalText([
      connection.id,
      connection.type.id,
      connection.config ?? {},
      binding.query ?? {},
    ]);
    const key = span === undefined ? query : `${query}${span.from} ${span.to}`;
    const running = this.#running.get(key) ?? this.#run({ key, query, kind, connection, binding, span });
    if (!isPromise(running)) return { now: running };
    return { now: { state: 'loading', connectionId: connection.id }, later: running };
  }

  #atHand(kind: DataSourceKind, connection: ResolvedConnection, { query }: ResolvedBinding): ItemData {
    const signal = new AbortController().signal;
    const data = this.#source(kind).ask({ connection, query, window: undefined, signal });
    return arrived(data as DataRows, undefined); // a kind whose rows are at hand answers at once
  }

  /** The answer of one query: at once where the source has it. */
  #run({ key, query, kind, connection, binding, span }: Question): MaybePromise<ItemData> {
    const abort = new AbortController();
    const request = { connection, query: binding.query, window: span, signal: abort.signal };
    const asked = recover(
      () =>
        chain(this.#source(kind).ask(request), data => {
          this.#last.keep(query, data);
          return arrived(data, span);
        }),
      error => this.#missed(query, error),
    );
    if (!isPromise(asked)) return asked;
    const late = (): ItemData => {
      abort.abort();
      return this.#missed(query, timedOut(connection.id));
    };
    const answer = withDeadline(this.#clock, QUERY_MS, asked, late).finally(() => this.#running.delete(key));
    this.#running.set(key, answer);
    return answer;
  }

  #source(kind: DataSourceKind): DataSource {
    const source = this.#open.get(kind.type) ?? kind.open();
    this.#open.set(kind.type, source);
    return source;
  }

  #missed(query: string, error: unknown): ItemData {
    const fault = failed(error);
    const last = this.#last.of(query);
    return last === undefined ? fault : { state: 'stale', ...last, error: fault.error };
  }
}

/** One query under way. */
interface Question {
  /** Equal for questions that one answer serves. */
  readonly key: string;
  /** The same without the span of time, under which the last rows are kept. */
  readonly query: string;
  readonly kind: DataSourceKind;
  readonly connection: ResolvedConnection;
  readonly binding: ResolvedBinding;
  readonly span: TimeWindow | undefined;
}

function arrived(data: DataRows, window: TimeWindow | undefined): ItemData {
  return defined({ state: data.rows.length === 0 ? ('empty' as const) : ('ready' as const), data, window });
}

/** Nodes with a binding, in document order. */
function* boundNodes(node: ResolvedNode): Generator<{ id: string; binding: ResolvedBinding }> {
  if (node.binding !== undefined) yield { id: node.id, binding: node.binding };
  for (const child of node.children ?? []) yield* boundNodes(child);
}

function failed(error: unknown): ItemData & { readonly state: 'error' } {
  const coded =
    error instanceof DashError
      ? error
      : new DashError('QUERY_FAILED', 'The source is in an unexpected state; try again.', {}, error);
  return { state: 'error', error: coded.toEnvelope() };
}

function secretMissing(names: readonly string[]): DashError {
  const message = `Environment variable ${names.join(', ')} is required on the server.`;
  return new DashError('SECRET_MISSING', message, { names });
}

function timedOut(connectionId: string): DashError {
  const message = `Connection "${connectionId}" must answer within ${QUERY_MS / 1_000} s; got nothing yet.`;
  return new DashError('QUERY_TIMEOUT', message, { connectionId });
}
