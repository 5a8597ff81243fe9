import { defined } from '@msg/foundation/json';
import type { LogFields, Logger } from './logger.ts';

/** Writes records that another thread formatted. */
interface LineWriter {
  lines(text: string): void;
}

/** A logger whose every record carries the labels too; lines that were formatted elsewhere have them. */
export function labelledLogger(logger: Logger & Partial<LineWriter>, labels: LogFields): Logger {
  const { lines } = logger;
  return {
    ...defined({ lines }),
    info: (fields, message) => logger.info({ ...fields, ...labels }, message),
    warn: (fields, message) => logger.warn({ ...fields, ...labels }, message),
    error: (fields, message) => logger.error({ ...fields, ...labels }, message),
  };
}
