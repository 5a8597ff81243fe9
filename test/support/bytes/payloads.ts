import { isUtf8 } from 'node:buffer';
import { isDeepStrictEqual } from 'node:util';
import type { Random } from '../../../packages/protocol/test/support/random.ts';

const NOISE_BYTES = 1_048_576;
const byte = (value: number): string => value.toString(16).padStart(2, '0');

/** A payload, and what JSON clients get of it: its base64, its JSON value or its text. */
export class Payload {
  readonly bytes: Buffer;
  readonly isBase64: boolean;
  readonly #value: unknown;

  constructor(bytes: Uint8Array) {
    this.bytes = Buffer.from(bytes);
    this.isBase64 = !isUtf8(bytes);
    this.#value = this.isBase64 ? this.bytes.toString('base64') : parsed(this.bytes.toString());
  }

  /** `encoding`: what the publication says about its data; absent: nothing. */
  isJson(data: unknown, encoding: string | undefined): boolean {
    return encoding === (this.isBase64 ? 'base64' : undefined) && isDeepStrictEqual(data, this.#value);
  }

  isBytes(data: unknown, encoding: string | undefined): boolean {
    return encoding === undefined && data instanceof Uint8Array && this.bytes.equals(data);
  }

  get shown(): string {
    const { length } = this.bytes;
    return `${length} bytes: ${this.bytes.subarray(0, 16).toString('hex')}${length > 16 ? '…' : ''}`;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Every sequence of no, one and two bytes. */
export function shortSequences(): Payload[] {
  const payloads = [new Payload(Buffer.alloc(0))];
  for (let first = 0; first < 256; first++) payloads.push(new Payload(Buffer.of(first)));
  for (let both = 0; both < 65_536; both++) payloads.push(new Payload(Buffer.of(both >> 8, both & 0xff)));
  return payloads;
}

/** What UTF-8 and JSON find hard, in hex: half surrogates first. */
const HARD = [
  ...['eda080', 'edbfbf', 'eda080edb080', '22eda08022', '61eda080'],
  ...['c080', 'e08080', 'f0808080', 'f4908080', 'fbbfbfbfbf', 'e282', 'f09f98', '80bf', 'feff', 'fffe'],
];
const HARD_TEXTS = [
  ...['"\\ud800"', '"\\udc00\\ud800"', '{"a":"\\udfff"}', '\u2028\u2029', '\ufeff{}', '\ufffd', '🙂'],
  ...['"//4="', '//4=', '\0', '\r\n', '{ "a" :\r\n 1 }\n', '"', '\\', 'NaN', '-0', '{"__proto__":1}'],
];

/** What is no sequence of two bytes: hard cases, `count` random ones and 1 MiB of noise. */
export function longSequences(random: Random, count: number): Payload[] {
  const hard = HARD.map(hex => Buffer.from(hex, 'hex'));
  const texts = HARD_TEXTS.map(text => Buffer.from(text));
  const noise = Array.from({ length: count }, () => random.bytes(3 + random.below(300)));
  const halves = Array.from({ length: 32 }, () => {
    const half = 0xd800 + random.below(0x800);
    const hex = ['ed', byte(0x80 | ((half >> 6) & 0x3f)), byte(0x80 | (half & 0x3f))].join('');
    return Buffer.concat([Buffer.from('"'), Buffer.from(hex, 'hex'), Buffer.from('"')]);
  });
  return [...hard, ...texts, ...halves, ...noise, random.bytes(NOISE_BYTES)].map(bytes => new Payload(bytes));
}
