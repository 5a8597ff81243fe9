import type { LogFields, Logger } from './logger.ts';

/** A logger whose every record carries the labels too. */
export function labelledLogger(logger: Logger, labels: LogFields): Logger {
  return {
    info: (fields, message) => logger.info({ ...fields, ...labels }, message),
    warn: (fields, message) => logger.warn({ ...fields, ...labels }, message),
    error: (fields, message) => logger.error({ ...fields, ...labels }, message),
  };
}
