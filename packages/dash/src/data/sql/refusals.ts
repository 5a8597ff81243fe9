import { DashError } from '../../errors.ts';
import { errnoOf } from '../dial/errno.ts';
import type { SourceTools } from '../source.ts';

/** SQLSTATE of a statement that ran too long, and of a lock that did not come. */
const TOO_LONG: ReadonlySet<string> = new Set(['57014', '55P03']);
/** SQLSTATE of a server without a free connection. */
const NO_CONNECTION: ReadonlySet<string> = new Set(['53300', '57P03']);
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** A failure of the driver as its item shows it. Its own words may hold values, so only those of the server are told. */
export function refusalOf({ upstreamText }: SourceTools, error: unknown): DashError {
  if (error instanceof DashError) return error;
  const state = stateOf(error);
  if (state === undefined) return lost(error);
  const reason = upstreamText(reasonOf(error as PostgresFailure));
  const details = { sqlState: state, reason };
  if (TOO_LONG.has(state)) {
    return new DashError('QUERY_TIMEOUT', `PostgreSQL ended the query: ${reason}.`, details);
  }
  if (NO_CONNECTION.has(state)) {
    return new DashError(
      'QUERY_BUSY',
      `PostgreSQL takes no connection now: ${reason}; try again in a moment.`,
      details,
    );
  }
  return new DashError('QUERY_FAILED', `PostgreSQL refused the query: ${reason}.`, details);
}

/** What the server says about a failure. */
interface PostgresFailure extends Error {
  /** Place of the error in the statement, from 1. */
  readonly position?: string;
}

function stateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error.name !== 'PostgresError' || !('code' in error)) return undefined;
  const code = String(error.code);
  return SQLSTATE.test(code) ? code : undefined;
}

function reasonOf({ message, position }: PostgresFailure): string {
  return position === undefined ? message : `${message} (at character ${position})`;
}

function lost(error: unknown): DashError {
  const code = errnoOf(error) ?? '';
  if (code === 'CONNECT_TIMEOUT') {
    const message = 'The database did not let the connection in within 3 s.';
    return new DashError('QUERY_TIMEOUT', message, { phase: 'connect' });
  }
  const reason = saysWhy(code) ? code : 'the connection was closed';
  return new DashError('QUERY_FAILED', `The connection to the database failed: ${reason}.`, { reason });
}

/** Codes of the system and of TLS. */
function saysWhy(code: string): boolean {
  if (/^E[A-Z]+$/.test(code)) return true;
  return /^[A-Z_]+$/.test(code) && (/^(?:ERR_TLS|UNABLE_TO)_/.test(code) || code.includes('CERT'));
}
