import { isatty } from 'node:tty';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { pino } from 'pino';
import { HttpRequestLines } from './http-request-line.ts';
import { LineBatch } from './line-batch.ts';
import type { LogFields, Logger } from './logger.ts';
import { terminalLine } from './terminal-line.ts';

const STDERR = 2;

/** The levels that lines have. */
type LineLogger = Pick<Logger, 'info' | 'warn' | 'error' | 'httpRequest'>;

/** The logger of a process, with a flush of its buffer. */
export interface ProcessLogger extends Logger {
  /** Writes records that another thread formatted: JSON, each with its line end. */
  lines(text: string): void;
  flush(): void;
}

/**
 * Makes the `time` member of records, and the labels after it. A busy server writes many in one second, and several in one
 * millisecond.
 */
function timeMember(clock: Clock, labels: string): () => string {
  let millisecond = Number.NaN;
  let member = '';
  let second = Number.NaN;
  let text = '';
  return () => {
    const now = clock.now();
    if (now === millisecond) return member;
    const current = Math.floor(now / 1000);
    if (current !== second) {
      second = current;
      text = `,"time":"${formatTimestamp(current * 1000).slice(0, -'000Z'.length)}`;
    }
    const rest = now - current * 1000;
    member = `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z"${labels}`;
    millisecond = now;
    return member;
  };
}

/** Logs to standard error: text on a terminal, else JSON lines, several in one write. */
export function processLogger(clock: Clock): ProcessLogger {
  const destination = pino.destination({ fd: STDERR, sync: false });
  const batch = new LineBatch(destination, clock);
  const write = isatty(STDERR)
    ? (line: string) => batch.write(terminalLine(line))
    : (line: string) => batch.write(line);
  const flush = () => {
    batch.flush();
    destination.flushSync();
  };
  process.once('exit', flush);
  return {
    ...lineLogger(write, clock),
    lines(text) {
      for (const line of text.split(/(?<=\n)/)) write(line);
    },
    flush,
  };
}

/** Logs JSON lines. `labels` are members of every record. */
export function lineLogger(
  write: (line: string) => void,
  clock: Clock,
  labels: LogFields = {},
): Required<LineLogger> {
  const requests = new HttpRequestLines();
  const members = Object.keys(labels).length === 0 ? '' : `,${JSON.stringify(labels).slice(1, -1)}`;
  const time = timeMember(clock, members);
  const logger = generalLogger({ write }, time);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    httpRequest: record => write(requests.write(time(), record)),
  };
}

/** Writes any record as a JSON line. `time` gives the `time` member with its leading comma. */
export function generalLogger(target: { write(line: string): void }, time: () => string): Logger {
  return pino({ base: null, timestamp: time, formatters: { level: label => ({ level: label }) } }, target);
}
