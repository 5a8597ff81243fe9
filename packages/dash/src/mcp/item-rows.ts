import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ItemAnswer, ItemData } from '../data/contract.ts';
import { DataSources } from '../data/sources.ts';
import { DashError } from '../errors.ts';
import type { DocumentEngine } from '../reads/document-engine.ts';
import type { ResolvedTree } from '../resolve/tree.ts';

/** All queries of one call together, in milliseconds. */
const LONGEST_MS = 15_000;

/** What the rows of items are asked for with. */
export interface RowsRequest {
  readonly engine: DocumentEngine;
  /** Of a process that may ask; without them only rows of the document are at hand. */
  readonly sources: DataSources | undefined;
  readonly signal: AbortSignal;
  /** Queries that the former state does not ask wait for a person, where their kind says so; none waits when absent. */
  readonly held?: { readonly former: ResolvedTree | undefined };
  readonly clock?: Clock;
}

/**
 * The rows of items of a tree, by node id, in at most 15 s together: an item that has not answered by then has
 * QUERY_TIMEOUT as its error.
 */
export async function rowsOfItems(
  tree: ResolvedTree,
  ids: ReadonlySet<string>,
  { engine, sources, signal, held, clock = systemClock }: RowsRequest,
): Promise<ReadonlyMap<string, ItemData>> {
  const used = sources ?? new DataSources({ rowsError: engine.rowsError });
  const end = new AbortController();
  const leaving = AbortSignal.any([end.signal, signal]);
  const late = Promise.withResolvers<ItemData>();
  const timer = clock.setTimeout(() => late.resolve(timedOut()), LONGEST_MS);
  try {
    const formerQueries = held?.former === undefined ? new Set<string>() : used.queriesOf(held.former);
    const waiting = held && { known: formerQueries, all: false };
    const answers = used.ask(tree, { only: ids, leaving, ...defined({ held: waiting }) });
    const rows = [...answers].map(async ([id, answer]) => [id, await settled(answer, late.promise)] as const);
    return new Map(await Promise.all(rows));
  } finally {
    clock.clearTimeout(timer);
    end.abort();
    if (sources === undefined) await used.close();
  }
}

function settled({ now, later }: ItemAnswer, late: Promise<ItemData>): Promise<ItemData> {
  return later === undefined ? Promise.resolve(now) : Promise.race([later, late]);
}

function timedOut(): ItemData {
  const message = `The queries of one call must answer within ${LONGEST_MS / 1_000} s; got nothing yet.`;
  return { state: 'error', error: new DashError('QUERY_TIMEOUT', message).toEnvelope() };
}
