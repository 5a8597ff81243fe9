import { Payload } from '#src/payload/payload.ts';
import type { NamedField } from '#src/schema/field.ts';
import type { MessageType } from '#src/schema/message-type.ts';
import { utf8 } from './bytes.ts';
import type { Random } from './random.ts';

const U64: readonly number[] = [
  0,
  1,
  127,
  128,
  2 ** 31,
  2 ** 32 - 1,
  2 ** 32,
  2 ** 42,
  Number.MAX_SAFE_INTEGER,
];
const I64: readonly number[] = [
  ...U64,
  -1,
  -128,
  -(2 ** 31),
  -(2 ** 32),
  -(2 ** 32) - 1,
  Number.MIN_SAFE_INTEGER,
];
const U32: readonly number[] = [0, 1, 127, 128, 16_383, 16_384, 2 ** 31, 2 ** 32 - 1];
const I32: readonly number[] = [0, 1, -1, 127, 2 ** 31 - 1, -(2 ** 31)];
const DOUBLES: readonly number[] = [0, 1.5, -2.25, 1e300, -1e-300, 3];

export interface GenerateOptions {
  /** Payloads are JSON, so that both encodings can carry them. */
  readonly jsonPayloads: boolean;
}

/** A random message in which members are often zero. It is complete, as decoders make them. */
export function generate(
  type: MessageType<unknown>,
  random: Random,
  options: GenerateOptions,
  depth = 4,
): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of type.fields) {
    // JSON shows an empty payload as the string "", so there it does not come back empty.
    const mayBeZero = !(field.kind === 'payload' && options.jsonPayloads);
    out[field.name] = mayBeZero && random.chance(0.4) ? field.zero : member(field, random, options, depth);
  }
  return out;
}

function member(field: NamedField, random: Random, options: GenerateOptions, depth: number): unknown {
  const nested = () => generate(field.type!, random, options, depth - 1);
  const few = <T>(make: () => T): T[] => Array.from({ length: random.below(4) }, make);
  const map = <T>(make: () => T) => new Map(few(() => [random.text(6), make()] as const));
  switch (field.kind) {
    case 'u32':
      return random.pick(U32);
    case 'i32':
      return random.pick(I32);
    case 'u64':
      return random.pick(U64);
    case 'i64':
    case 's64':
      return random.pick(I64);
    case 'double':
      return random.pick(DOUBLES);
    case 'bool':
      return random.chance(0.5);
    case 'str':
      return random.text(20);
    case 'bytes':
      return bytes(random, options);
    case 'payload':
      return new Payload(bytes(random, options));
    case 'strings':
      return few(() => random.text(8));
    case 'stringMap':
      return map(() => random.text(8));
    case 'doubleMap':
      return map(() => random.pick(DOUBLES));
    case 'message':
      return depth === 0 ? null : nested();
    case 'messages':
      return depth === 0 ? [] : few(nested);
    default:
      return depth === 0 ? new Map() : map(nested);
  }
}

function bytes(random: Random, { jsonPayloads }: GenerateOptions): Uint8Array {
  return jsonPayloads ? utf8(random.json()) : random.bytes(1 + random.below(80));
}

/** A message as plain data that `toEqual` compares: payloads become their bytes, bytes become arrays. */
export function plain(value: unknown): unknown {
  if (value instanceof Payload) return [...value.bytes];
  if (value instanceof Uint8Array) return [...value];
  if (value instanceof Map) return new Map([...value].map(([key, item]) => [key, plain(item)]));
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, plain(item)]));
  }
  return value;
}
