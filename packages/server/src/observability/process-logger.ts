import { isatty } from 'node:tty';
import { formatTimestamp } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { pino } from 'pino';
import { HttpRequestLines } from './http-request-line.ts';
import { LineBatch } from './line-batch.ts';
import type { Logger } from './logger.ts';
import { terminalLine } from './terminal-line.ts';

const STDERR = 2;

/** The logger of a process, with a flush of its buffer. */
export interface ProcessLogger extends Logger {
  flush(): void;
}

/** Makes the `time` member of records. A busy server writes many in one second, and several in one millisecond. */
function timeMember(clock: Clock): () => string {
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
    member = `${text}${rest < 10 ? '00' : rest < 100 ? '0' : ''}${rest}Z"`;
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
  const requests = new HttpRequestLines();
  const time = timeMember(clock);
  const logger = generalLogger({ write }, time);
  const flush = () => {
    batch.flush();
    destination.flushSync();
  };
  process.once('exit', flush);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    httpRequest: record => write(requests.write(time(), record)),
    flush,
  };
}

/** Writes any record as a JSON line. `time` gives the `time` member with its leading comma. */
export function generalLogger(target: { write(line: string): void }, time: () => string): Logger {
  return pino({ base: null, timestamp: time, formatters: { level: label => ({ level: label }) } }, target);
}
