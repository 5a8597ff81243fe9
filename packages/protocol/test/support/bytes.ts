import type { Command, CommandReader, DecodeErrorCode, Reply, ReplyReader } from '@msg/protocol';
import { DecodeError } from '@msg/protocol';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

export const utf8 = (text: string): Uint8Array => new Uint8Array(encoder.encode(text));
export const text = (bytes: Uint8Array): string => decoder.decode(bytes);
export const hex = (digits: string): Uint8Array =>
  new Uint8Array(Buffer.from(digits.replaceAll(' ', ''), 'hex'));

export function all(reader: CommandReader): Command[];
export function all(reader: ReplyReader): Reply[];
export function all(reader: CommandReader | ReplyReader): unknown[] {
  const out: unknown[] = [];
  for (let message = reader.next(); message !== null; message = reader.next()) out.push(message);
  return out;
}

/** The code of the decode error that `run` throws, or `'none'`. Other errors pass through. */
export function decodeFault(run: () => unknown): DecodeErrorCode | 'none' {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodeError) return error.code;
    throw error;
  }
  return 'none';
}
