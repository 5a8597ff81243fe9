import { defined } from '@msg/foundation/json';
import { DashError } from '../errors.ts';
import type { Arrived, DataRows, ItemData } from './contract.ts';

/** The state of an item whose rows came. */
export function arrived(data: DataRows, how: Omit<Arrived, 'state' | 'data'>): Arrived {
  return defined({ state: data.rows.length === 0 ? ('empty' as const) : ('ready' as const), data, ...how });
}

/** The state of an item whose query failed. */
export function failed(error: DashError): ItemData & { readonly state: 'error' } {
  return { state: 'error', error: error.toEnvelope() };
}

/** A query that comes with a link is never run: a link must not choose what is asked. */
export function overrideForbidden(nodeId: string): DashError {
  const message = `The query of "${nodeId}" comes from the address of the page and is not run; store it in the document, or use variables in it.`;
  return new DashError('QUERY_OVERRIDE_FORBIDDEN', message, { nodeId });
}
