import { crc32 } from 'node:zlib';
import { isRecord } from '@msg/foundation/json';
import type { SecurityEntry } from './contract.ts';

/** A line that cannot be read. The message does not quote it. */
export class UnreadableLine extends Error {
  override readonly name = 'UnreadableLine';
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0');
}

/** The line of an entry, without its end: a JSON object whose last member is the CRC-32 of the object without it. */
export function formatLine(entry: SecurityEntry): string {
  const text = JSON.stringify(entry);
  return `${text.slice(0, -1)},"crc":"${checksum(text)}"}`;
}

/** @throws UnreadableLine */
export function parseLine(line: string): SecurityEntry {
  const end = line.lastIndexOf(',"crc":"');
  const text = `${line.slice(0, end)}}`;
  if (end < 0 || line.slice(end) !== `,"crc":"${checksum(text)}"}`) throw new UnreadableLine();
  try {
    return checked(JSON.parse(text));
  } catch {
    throw new UnreadableLine();
  }
}

/** The checksum shows that a process wrote the line; another version may have given it another meaning. */
function checked(value: unknown): SecurityEntry {
  if (!isRecord(value)) throw new UnreadableLine();
  const { kind, id, until, reason, cutoff } = value as Readonly<Record<string, unknown>>; // checked below
  if (typeof id !== 'string' || typeof until !== 'number') throw new UnreadableLine();
  if (kind === 'token' && typeof reason === 'string') return { kind, id, until, reason };
  if (kind === 'user' && typeof cutoff === 'number') return { kind, id, until, cutoff };
  if (kind === 'redeemed' || kind === 'family') return { kind, id, until };
  throw new UnreadableLine();
}
