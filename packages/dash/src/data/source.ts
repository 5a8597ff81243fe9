import type { LookupFunction } from 'node:net';
import type { Clock } from '@msg/foundation/clock';
import type { MaybePromise } from '@msg/foundation/promises';
import type { Json, JsonObject } from '../document/json.ts';
import type { ResolvedConnection } from '../resolve/tree.ts';
import type { DataRows, TimeWindow } from './contract.ts';

/** What is known about a query before it is asked. */
export interface Question {
  /** The config of the connection, with references in place of secrets. */
  readonly config: JsonObject;
  readonly query: JsonObject;
  /** The span that the page looks at; undefined when it does not say. */
  readonly window: TimeWindow | undefined;
  /** Unix milliseconds. */
  readonly now: number;
  /** Width of the item in pixels. */
  readonly width: number;
}

/** What exactly is asked: equal plans of one connection are one request. */
export interface QueryPlan {
  /** The query with everything put in. */
  readonly query: JsonObject;
  /** Its span, aligned so that questions of the same moment are equal. */
  readonly window?: TimeWindow;
}

/** A connection that is asked or listened to. */
export interface OpenConnection {
  readonly connection: ResolvedConnection;
  /** The config with secrets in place of their references: for the wire alone, never for an error. */
  readonly config: JsonObject;
}

/** What a source is asked. */
export interface DataRequest extends QueryPlan, OpenConnection {
  /** Aborts when the time of the query is over, or when the last who waits for it has left. */
  readonly signal: AbortSignal;
}

/** Where rows come from. It answers at once where the rows are at hand. */
export interface DataSource {
  /** @throws DashError QUERY_* with what a person needs to correct the query. */
  ask(request: DataRequest): MaybePromise<DataRows>;
  /** Calls back when the rows of a connection have changed, until the answered function is called; of a live kind alone. */
  watch?(connection: OpenConnection, onChange: () => void): () => void;
  /** Ends what the source keeps open. */
  close?(): Promise<void>;
}

/** What a source works with. */
export interface SourceTools {
  readonly clock: Clock;
  /** Resolves names for a connection and refuses addresses that must not be dialled; every socket is opened with it. */
  readonly lookup: LookupFunction;
  /** A text of an upstream system as an error may repeat it: without secrets, at most 300 characters. */
  upstreamText(text: string): string;
}

/** One type of connection whose queries are run: a row of `kinds.ts` and a folder. */
export interface DataSourceKind {
  /** Name of the connection type. */
  readonly type: string;
  /** The lowest version of the type whose queries are run; all when absent. */
  readonly since?: string;
  /** True when the rows stand in the document: the source answers at once and cannot fail. */
  readonly atHand: boolean;
  /** True when a query of a proposal that was handed over waits for a person, too; one of a link always does. */
  readonly waitsForPerson?: (connection: ResolvedConnection) => boolean;
  /** True when the source tells when rows change: it is asked each time, and answers with what it has. */
  readonly live?: true;
  /** True when its queries are about a span of time. */
  readonly timed: boolean;
  /** The address that a config dials, whose origin must be allowed. Absent where nothing is dialled. */
  addressOf?(config: JsonObject): Json | undefined;
  /** What a question means exactly; the question itself when absent. @throws DashError QUERY_INVALID. */
  plan?(question: Question): QueryPlan;
  open(tools: SourceTools): DataSource;
}
