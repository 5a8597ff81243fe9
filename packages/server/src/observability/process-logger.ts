import { isatty } from 'node:tty';
import { pino } from 'pino';
import type { Logger } from './logger.ts';
import { terminalLine } from './terminal-line.ts';

const STDERR = 2;

/** The logger of a process, and how to write out what it still holds. */
export interface ProcessLogger extends Logger {
  flush(): void;
}

/** Logs to standard error: text on a terminal, else JSON lines, gathered while a write is under way. */
export function processLogger(): ProcessLogger {
  const destination = pino.destination({ fd: STDERR, sync: false });
  const target = isatty(STDERR)
    ? { write: (line: string) => destination.write(terminalLine(line)) }
    : destination;
  const logger = pino(
    {
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }) },
    },
    target,
  );
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    flush: () => destination.flushSync(),
  };
}
