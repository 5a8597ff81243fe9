import { DashError } from '../errors.ts';

type RequestStatus = 400 | 404 | 405 | 415 | 503;

/** The error SERVE_INVALID of a request that no route accepts, with its own status. */
export class RequestError extends DashError {
  readonly status: RequestStatus;
  /** Methods of the path, for `Allow`. */
  readonly allow: string | undefined;

  constructor(status: RequestStatus, reason: string, allow?: string) {
    super('SERVE_INVALID', reason, { reason });
    this.status = status;
    this.allow = allow;
  }
}

/** The error SERVE_INVALID of an invalid invocation: no document, a bad port, an address in use. */
export function invocationError(reason: string): DashError {
  return new DashError('SERVE_INVALID', reason, { reason });
}

/** A failure as a coded error with its HTTP status (dashboard details 15.2). */
export function coded(error: unknown): { error: DashError; status: number } {
  if (error instanceof RequestError) return { error, status: error.status };
  // Codes of the start have no HTTP status; in a request they are a server error.
  if (error instanceof DashError) return { error, status: error.row.status ?? 500 };
  const message = 'The server is in an unexpected state; try again.';
  return { error: new DashError('SERVE_INTERNAL', message, {}, error), status: 500 };
}
