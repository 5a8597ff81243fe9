import { createDelta, jsonCodec, protobufCodec } from '@msg/protocol';
import { encodeControl, encodePositionedDeltaMessage, encodePublicationRecord } from '@msg/protocol/internal';
import { controlCommandType } from '#src/control/messages.ts';
import { commandType } from '#src/messages/command.ts';
import { publicationType } from '#src/messages/publication.ts';
import { replyType } from '#src/messages/reply.ts';
import { utf8 } from '../support/bytes.ts';
import { generate } from '../support/generate.ts';
import type { Random } from '../support/random.ts';

/** What deltas under test apply to. */
export const BASE: Uint8Array = utf8('{"n":1,"note":"steady payload that repeats, ünïcode"}');

const TOKENS = [
  '{',
  '}',
  '[',
  ']',
  ',',
  ':',
  '"',
  '\\',
  '\n',
  '\r',
  ' ',
  '{}',
  '"id":',
  '"connect":{',
  '"data":',
  'null',
  'true',
  '-1',
  '1e9',
  '\\u12',
  '\u00e9',
  '__p1:',
  '__d1:1:e:',
  '~',
  '@',
  ';',
].map(utf8);

/** Valid inputs of every decoder: where mutation starts. */
export function seedInputs(random: Random, count: number): Uint8Array[] {
  const json = { jsonPayloads: true };
  const any = { jsonPayloads: false };
  return Array.from({ length: count }, (_, i) => {
    switch (i % 9) {
      case 0:
        return jsonCodec.join([
          jsonCodec.encodeCommand(generate(commandType, random, json, 2)),
          jsonCodec.pong,
        ]);
      case 1:
        return jsonCodec.encodeReply(generate(replyType, random, json, 2));
      case 2:
        return protobufCodec.join([
          protobufCodec.encodeCommand(generate(commandType, random, any, 2)),
          protobufCodec.pong,
        ]);
      case 3:
        return protobufCodec.encodeReply(generate(replyType, random, any, 2));
      case 4:
        return encodeControl(generate(controlCommandType, random, any, 2));
      case 5: {
        const record = encodePublicationRecord(generate(publicationType, random, any, 2));
        return encodePositionedDeltaMessage(record, { offset: random.below(1_000), epoch: 'epoch' }, record);
      }
      case 6:
        return createDelta(
          BASE,
          random.chance(0.5) ? random.bytes(random.below(100)) : BASE.subarray(random.below(20)),
        );
      case 7:
        return random.chance(0.5)
          ? jsonCodec.encodeEmulation('n', 's', jsonCodec.pong)
          : protobufCodec.encodeEmulation('n', 's', random.bytes(9));
      default:
        return utf8(random.json(4));
    }
  });
}

/** An input a little different from `input`. */
export function mutate(input: Uint8Array, other: Uint8Array, random: Random): Uint8Array {
  let out = input;
  for (let n = 1 + random.below(3); n > 0; n--) {
    const at = random.below(out.length + 1);
    switch (random.below(7)) {
      case 0:
        out = spliced(out, at, 0, random.bytes(1 + random.below(4)));
        break;
      case 1:
        out = spliced(out, at, 1 + random.below(8), NOTHING);
        break;
      case 2:
        out = spliced(
          out,
          at,
          1,
          Uint8Array.of(random.pick([0, 1, 0x22, 0x7f, 0x80, 0xff, random.below(256)])),
        );
        break;
      case 3:
        out = spliced(out, at, 0, random.pick(TOKENS));
        break;
      case 4:
        out = spliced(out, at, out.length, other.subarray(random.below(other.length + 1)));
        break;
      case 5:
        out = spliced(out, at, 0, out.subarray(at, at + random.below(32)));
        break;
      default:
        out = out.subarray(0, at);
    }
  }
  return out.length > MOST_BYTES ? out.subarray(0, MOST_BYTES) : out;
}

const NOTHING = new Uint8Array(0);
const MOST_BYTES = 4_096;

function spliced(bytes: Uint8Array, at: number, removed: number, inserted: Uint8Array): Uint8Array {
  const rest = bytes.subarray(Math.min(bytes.length, at + removed));
  const out = new Uint8Array(at + inserted.length + rest.length);
  out.set(bytes.subarray(0, at));
  out.set(inserted, at);
  out.set(rest, at + inserted.length);
  return out;
}
