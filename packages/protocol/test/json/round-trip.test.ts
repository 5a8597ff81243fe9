import { describe, expect, it } from 'vitest';
import { Arena } from '#src/bytes/arena.ts';
import { JsonReader } from '#src/json/reader.ts';
import { JsonWriter } from '#src/json/writer.ts';
import { REPLY_DECODE_LIMITS } from '#src/limits.ts';
import { text } from '../support/bytes.ts';
import { generate, plain } from '../support/generate.ts';
import { CLIENT_TYPES } from '../support/message-types.ts';
import { Random, SEED } from '../support/random.ts';

const arena = Arena.forPayloads();

describe(`round trips, seed ${SEED}`, () => {
  it.each(CLIENT_TYPES.map(type => [type.name, type] as const))(
    '%s survives JSON, payloads byte for byte',
    (_, type) => {
      const random = new Random(SEED);
      const writer = new JsonWriter();
      for (let i = 0; i < 150; i++) {
        const value = generate(type, random, { jsonPayloads: true });
        writer.begin();
        writer.message(type, value);
        const json = writer.finish(arena);
        expect(() => JSON.parse(text(json))).not.toThrow();
        expect(json.includes(0x0a) || json.includes(0x0d)).toBe(false);
        const read = new JsonReader(json, 0, json.length, false, REPLY_DECODE_LIMITS, arena).root(type);
        expect(plain(read)).toEqual(plain(value));
      }
    },
  );
});
