import { formatTimestamp } from '@msg/core/internal';
import type { Clock } from '@msg/foundation/clock';
import { HttpRequestLines } from './http-request-line.ts';
import { errorFields, type LogFields, type Logger } from './logger.ts';

/** The levels that lines have. */
type LineLogger = Pick<Logger, 'info' | 'warn' | 'error' | 'httpRequest'>;

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

/** Logs JSON lines. `labels` are members of every record, `general` makes the logger of records that are no request. */
export function lineLogger(
  write: (line: string) => void,
  clock: Clock,
  labels: LogFields = {},
  general = plainLogger,
): Required<LineLogger> {
  const requests = new HttpRequestLines();
  const members = Object.keys(labels).length === 0 ? '' : `,${JSON.stringify(labels).slice(1, -1)}`;
  const time = timeMember(clock, members);
  const logger = general({ write }, time);
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    httpRequest: record => write(requests.write(time(), record)),
  };
}

/**
 * Writes records of the service, whose members are JSON, as the general logger would. A session thread needs no other: the
 * library of the general logger takes memory in each of them.
 */
export function plainLogger(target: { write(line: string): void }, time: () => string): Logger {
  const writer = (level: string) => (fields: LogFields, message: string) =>
    target.write(`{"level":"${level}"${time()}${membersOf(fields)},"msg":${JSON.stringify(message)}}\n`);
  return { info: writer('info'), warn: writer('warn'), error: writer('error') };
}

function membersOf(fields: LogFields): string {
  let text: string;
  try {
    text = JSON.stringify(fields);
  } catch (error) {
    text = JSON.stringify(errorFields(error)); // a cycle: the record stays
  }
  return text === '{}' ? '' : `,${text.slice(1, -1)}`;
}
