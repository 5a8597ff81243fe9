import { expect, it } from 'vitest';
import { Arena } from '#src/bytes/arena.ts';
import { ProtobufWriter } from '#src/protobuf/writer.ts';
import type { MessageType } from '#src/schema/message-type.ts';
import { generate } from '../support/generate.ts';
import { CLIENT_TYPES, CONTROL_TYPES } from '../support/message-types.ts';
import { Random, SEED } from '../support/random.ts';

const MESSAGES_OF_A_TYPE = 5;
/** Bytes of a writer before it grows: see src/protobuf/writer.ts. */
const FIRST_ROOM = 4_096;

/** What a new writer writes for a message after so many other bytes. */
function written(type: MessageType<unknown>, message: Record<string, unknown>, before: number): Uint8Array {
  const writer = new ProtobufWriter();
  writer.begin();
  writer.bytes(new Uint8Array(before));
  writer.message(type, message);
  const all = writer.finish(Arena.forFrames());
  return all.subarray(0, all.length - before);
}

it(`a writer may grow before any byte of a message; seed ${SEED}`, () => {
  const random = new Random(SEED);
  let compared = 0;
  for (const type of [...CLIENT_TYPES, ...CONTROL_TYPES]) {
    for (let i = 0; i < MESSAGES_OF_A_TYPE; i++) {
      const message = generate(type, random, { jsonPayloads: false }, 2);
      const whole = written(type, message, 0);
      for (let room = 0; room < Math.min(whole.length, FIRST_ROOM); room++) {
        const grown = written(type, message, FIRST_ROOM - room);
        if (Buffer.compare(grown, whole) !== 0) expect.fail(`${JSON.stringify(message)}, room ${room}`);
        compared++;
      }
    }
  }
  expect(compared).toBeGreaterThan(1_000);
});
