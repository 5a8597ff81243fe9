import { isRecord } from '@msg/foundation/json';
import type { Logger } from '../observability/logger.ts';

/** A logger that writes lines which another thread has formatted. */
interface LineLogger extends Logger {
  lines(text: string): void;
}

function writesLines(logger: Logger): logger is LineLogger {
  return 'lines' in logger && typeof logger.lines === 'function';
}

/** Writes the JSON lines of a thread with the one log writer of the process (threads 6). */
export function writeThreadLines(logger: Logger, text: string): void {
  if (writesLines(logger)) logger.lines(text);
  else for (const line of text.split('\n')) if (line !== '') writeRecord(logger, line);
}

/** A logger of the embedder gets the record. */
function writeRecord(logger: Logger, line: string): void {
  const record: unknown = JSON.parse(line);
  if (!isRecord(record)) return;
  const { level, time: _writtenAgain, msg, ...fields } = record;
  const message = String(msg);
  if (level === 'error') logger.error(fields, message);
  else if (level === 'warn') logger.warn(fields, message);
  else logger.info(fields, message);
}
