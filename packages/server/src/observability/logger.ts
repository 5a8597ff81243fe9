import type { HttpRequestRecord } from './http-request-line.ts';

/** Members of a log record. Never tokens, secrets or payloads. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Where the service writes its records. The loggers of pino, bunyan and the like fit as they are. */
export interface Logger {
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
  /** The record of an ended request, when there is a quicker way for it than {@link Logger.info}. */
  httpRequest?(record: HttpRequestRecord): void;
}

/** Writes nothing. */
export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

/** What a log record may say about a failure. */
export function errorFields(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const cause = error.cause instanceof Error ? { cause: `${error.cause.name}: ${error.cause.message}` } : {};
  return { error: `${error.name}: ${error.message}`, ...cause };
}
