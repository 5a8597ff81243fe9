import { isatty } from 'node:tty';
import type { Clock } from '@msg/foundation/clock';
import { pino } from 'pino';
import { LineBatch } from './line-batch.ts';
import { lineLogger } from './line-logger.ts';
import type { Logger } from './logger.ts';
import { terminalLine } from './terminal-line.ts';

const STDERR = 2;

/** The logger of a process, with a flush of its buffer. */
export interface ProcessLogger extends Logger {
  /** Writes records that another thread formatted: JSON, each with its line end. */
  lines(text: string): void;
  flush(): void;
}

/** Logs to standard error: text on a terminal, else JSON lines, several in one write. */
export function processLogger(clock: Clock): ProcessLogger {
  const destination = pino.destination({ fd: STDERR, sync: false });
  const batch = new LineBatch(destination, clock);
  const forTerminal = isatty(STDERR);
  const write = (line: string): void => batch.write(forTerminal ? terminalLine(line) : line);
  const flush = () => {
    batch.flush();
    destination.flushSync();
  };
  process.once('exit', flush);
  return {
    ...lineLogger(write, clock, {}, generalLogger),
    lines(text) {
      if (forTerminal) for (const line of text.split(/(?<=\n)/)) write(line);
      else batch.write(text);
    },
    flush,
  };
}

/** Writes any record as a JSON line. `time` gives the `time` member with its leading comma. */
export function generalLogger(target: { write(line: string): void }, time: () => string): Logger {
  return pino({ base: null, timestamp: time, formatters: { level: label => ({ level: label }) } }, target);
}
