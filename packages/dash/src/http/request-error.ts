import { DashError } from '../errors.ts';

/** SERVE_INVALID for a request that no route takes; its status depends on what is wrong with it. */
export class RequestError extends DashError {
  readonly status: 400 | 404 | 405;
  /** Methods of the path, for `Allow`. */
  readonly allow: string | undefined;

  constructor(status: 400 | 404 | 405, reason: string, allow?: string) {
    super('SERVE_INVALID', reason, { reason });
    this.status = status;
    this.allow = allow;
  }
}

/** SERVE_INVALID for an invocation that cannot be served: no document, a bad port, an address that is taken. */
export function invocationError(reason: string): DashError {
  return new DashError('SERVE_INVALID', reason, { reason });
}

/** A failure as a coded error with its HTTP status (dashboard details 15.2). */
export function coded(error: unknown): { error: DashError; status: number } {
  if (error instanceof RequestError) return { error, status: error.status };
  // Codes of start-up have no HTTP status; in a request they are an error of the server.
  if (error instanceof DashError) return { error, status: error.row.status ?? 500 };
  const message = 'The server is in an unexpected state; try again.';
  return { error: new DashError('SERVE_INTERNAL', message, {}, error), status: 500 };
}
