import { STAMP_DIGITS, STAMP_MARKER } from '../stamp.ts';
import type { PayloadKind } from './questions.ts';

const PLAIN_BYTES = 256;
const SIMILAR_BYTES = 1024;
const SIMILAR_COUNT = 64;
const QUOTES = 24;

/** `{"t":"<moment>",<members>,"text":"xxx…"}` of exactly `bytes` bytes. */
function json(bytes: number, moment: number, members: string): Buffer {
  const start = `{${STAMP_MARKER}${String(moment).padStart(STAMP_DIGITS, '0')}",${members}"text":"`;
  return Buffer.from(`${start}${'x'.repeat(bytes - start.length - 2)}"}`);
}

/** The `index`-th state of a table of quotes: three of them changed since the last one. */
function quotes(index: number): string {
  const rows = Array.from({ length: QUOTES }, (_, row) => {
    const changes = Math.floor((index * 3 + QUOTES - 1 - row) / QUOTES);
    return `{"id":${100 + row},"bid":${1000 + ((row * 37 + changes * 61) % 9000)}}`;
  });
  return `"quotes":[${rows.join(',')}],`;
}

/** The payloads that a server publishes one after the other, then from the start again. */
export function payloads(kind: PayloadKind): readonly Buffer[] {
  if (kind === 'plain') return [json(PLAIN_BYTES, 0, '')];
  return Array.from({ length: SIMILAR_COUNT }, (_, i) => json(SIMILAR_BYTES, i, quotes(i)));
}
