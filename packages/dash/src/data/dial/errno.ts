/** The code of a failed system call or of Node.js, such as `ECONNREFUSED`; undefined for any other error. */
export function errnoOf(error: unknown): string | undefined {
  if (error instanceof AggregateError) return errnoOf(error.errors[0]);
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}
