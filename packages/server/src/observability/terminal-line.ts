import { isRecord } from '@msg/foundation/json';

/** Turns one JSON record into a line for people: time, level, message, then `name=value` pairs. */
export function terminalLine(json: string): string {
  const record: unknown = JSON.parse(json);
  if (!isRecord(record)) return json;
  const { time = '', level = '', msg = '', ...fields } = record;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${display(value)}`);
  return `${time} ${String(level).toUpperCase().padEnd(5)} ${msg}${pairs.join('')}\n`;
}

function display(value: unknown): string {
  return typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);
}
