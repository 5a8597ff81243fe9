import { formatTimestamp } from '@msg/core';
import type { Clock } from '@msg/engine';
import type { LogFields, Logger } from './logger.ts';

/** Writes each record as one JSON line. */
export function lineLogger(write: (line: string) => void, clock: Clock): Logger {
  const at = (level: string) => (fields: LogFields, message: string) => {
    write(`${JSON.stringify({ time: formatTimestamp(clock.now()), level, msg: message, ...fields })}\n`);
  };
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
