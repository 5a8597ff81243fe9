import type { HttpRequestRecord } from './http-request-line.ts';

/** Members of a log record. Never tokens, secrets or payloads. */
export type LogFields = Readonly<Record<string, unknown>>;

/** The logger of the service. Loggers such as pino and bunyan have this form. */
export interface Logger {
  /** Records of which there are very many; absent: they are not written. */
  debug?(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** Writes the record of an ended request, for a logger that is faster at it than {@link Logger.info}. */
  httpRequest?(record: HttpRequestRecord): void;
}

/** Writes nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

/** The fields of a failure in a log record. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  return { error: `${error.name}: ${error.message}`, ...cause };
}

/** As {@link errorFields}, with the stack, for a failure whose caller only learns that there was one. */
export function originalFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return errorFields(error);
  return { ...errorFields(error), stack: error.stack };
}
