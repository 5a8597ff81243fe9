import { isatty } from 'node:tty';
import { formatTimestamp } from '@msg/core';
import type { Clock } from '@msg/engine';
import { pino } from 'pino';
import type { Logger } from './logger.ts';
import { terminalLine } from './terminal-line.ts';

const STDERR = 2;

/** The logger of a process, and how to write out what it still holds. */
export interface ProcessLogger extends Logger {
  flush(): void;
}

/** A write is made of this many bytes, or of what came in this many milliseconds. */
const WRITE_BYTES = 8192;
const WRITE_MS = 50;

/** The `time` member of records; a busy server writes many in one millisecond. */
function timeMember(clock: Clock): () => string {
  let now = Number.NaN;
  let text = '';
  return () => {
    const current = clock.now();
    if (current !== now) {
      now = current;
      text = `,"time":"${formatTimestamp(current)}"`;
    }
    return text;
  };
}

/** Logs to standard error: text on a terminal, else JSON lines, several in one write. */
export function processLogger(clock: Clock): ProcessLogger {
  const destination = pino.destination({
    fd: STDERR,
    sync: false,
    minLength: WRITE_BYTES,
    periodicFlush: WRITE_MS,
  });
  const target = isatty(STDERR)
    ? { write: (line: string) => destination.write(terminalLine(line)) }
    : destination;
  const logger = pino(
    {
      base: null,
      timestamp: timeMember(clock),
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
