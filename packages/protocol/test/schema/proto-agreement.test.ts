import { readFileSync } from 'node:fs';
import protobuf from 'protobufjs';
import { describe, expect, it } from 'vitest';
import { Arena } from '#src/bytes/arena.ts';
import { REPLY_DECODE_LIMITS } from '#src/limits.ts';
import { Payload } from '#src/payload/payload.ts';
import { ProtobufReader } from '#src/protobuf/reader.ts';
import { ProtobufWriter } from '#src/protobuf/writer.ts';
import type { NamedField } from '#src/schema/field.ts';
import type { MessageType } from '#src/schema/message-type.ts';
import { text } from '../support/bytes.ts';
import { generate, plain } from '../support/generate.ts';
import { CLIENT_TYPES, CONTROL_TYPES } from '../support/message-types.ts';
import { Random, SEED } from '../support/random.ts';

const CASES_PER_TYPE = 150;
const PROTO_TYPE: Record<string, string> = {
  u32: 'uint32',
  u64: 'uint64',
  i32: 'int32',
  i64: 'int64',
  s64: 'sint64',
  bool: 'bool',
  str: 'string',
  bytes: 'bytes',
  payload: 'bytes',
  double: 'double',
  strings: 'string',
  stringMap: 'string',
  doubleMap: 'double',
};

const jsonName = (field: NamedField) => text(field.key);
const load = (file: string) =>
  protobuf.parse(readFileSync(new URL(`../proto/${file}`, import.meta.url), 'utf8'), { keepCase: true }).root;

/** Our value as the judge wants it. */
function toProto(type: MessageType<unknown>, value: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of type.fields) {
    const member = value[field.name];
    const nested = (item: unknown) =>
      field.type === null ? item : toProto(field.type, item as Record<string, unknown>);
    if (member === null || member === undefined) continue;
    if (member instanceof Map)
      out[jsonName(field)] = Object.fromEntries([...member].map(([key, item]) => [key, nested(item)]));
    else if (Array.isArray(member)) out[jsonName(field)] = member.map(nested);
    else out[jsonName(field)] = member instanceof Payload ? member.bytes : nested(member);
  }
  return out;
}

/** The judge's value as ours. */
function fromProto(type: MessageType<unknown>, value: Record<string, unknown>): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const field of type.fields) {
    const member = value[jsonName(field)];
    const nested = (item: unknown) =>
      field.type === null ? item : fromProto(field.type, item as Record<string, unknown>);
    const isMap = field.kind.endsWith('Map');
    if (isMap)
      out[field.name] = new Map(
        Object.entries((member ?? {}) as object).map(([key, item]) => [key, nested(item)]),
      );
    else if (Array.isArray(member) && field.kind !== 'bytes' && field.kind !== 'payload')
      out[field.name] = member.map(nested);
    else if (member === undefined) out[field.name] = plain(field.zero);
    else out[field.name] = field.type === null || member === null ? member : nested(member);
  }
  return out;
}

const decode = (type: MessageType<unknown>, bytes: Uint8Array) =>
  new ProtobufReader(bytes, 0, bytes.length, REPLY_DECODE_LIMITS, Arena.forPayloads()).root(type);

function encode(type: MessageType<unknown>, value: Record<string, unknown>): Uint8Array {
  const writer = new ProtobufWriter();
  writer.begin();
  writer.message(type, value);
  return writer.finish(Arena.forFrames());
}

for (const [title, file, scope, types] of [
  ['client protocol', 'client.proto', 'centrifugal.centrifuge.protocol', CLIENT_TYPES],
  ['control protocol', 'control.proto', 'centrifugal.centrifuge.controlpb', CONTROL_TYPES],
] as const) {
  const root = load(file);
  const judge = (type: MessageType<unknown>) => root.lookupType(`${scope}.${type.name}`);

  describe(`${title}, seed ${SEED}`, () => {
    it('has a table for every message of the .proto', () => {
      const names = (root.lookup(scope) as protobuf.Namespace).nestedArray.map(type => type.name);
      expect(types.map(type => type.name).sort()).toEqual(names.sort());
    });

    it.each(types.map(type => [type.name, type] as const))('%s has the same fields', (_, type) => {
      const ours = type.fields.map(field => ({
        name: jsonName(field),
        number: field.number,
        type: PROTO_TYPE[field.kind] ?? field.type?.name,
        repeated: field.kind === 'strings' || field.kind === 'messages',
        map: field.kind.endsWith('Map'),
      }));
      const theirs = judge(type).fieldsArray.map(field => ({
        name: field.name,
        number: field.id,
        type: field.type,
        repeated: field.repeated,
        map: field.map,
      }));
      expect(ours).toEqual(theirs.sort((a, b) => a.number - b.number));
    });

    it.each(types.map(type => [type.name, type] as const))(
      '%s is decoded alike when we encode',
      (_, type) => {
        const random = new Random(SEED);
        for (let i = 0; i < CASES_PER_TYPE; i++) {
          const value = generate(type, random, { jsonPayloads: false });
          const theirs = judge(type).toObject(judge(type).decode(encode(type, value)), {
            longs: Number,
            bytes: Array,
          });
          expect(fromProto(type, theirs)).toEqual(plain(value));
        }
      },
    );

    it.each(types.map(type => [type.name, type] as const))(
      '%s is decoded alike when they encode',
      (_, type) => {
        const random = new Random(SEED + 1);
        for (let i = 0; i < CASES_PER_TYPE; i++) {
          const value = generate(type, random, { jsonPayloads: false });
          const theirs = judge(type)
            .encode(judge(type).fromObject(toProto(type, value)))
            .finish();
          expect(plain(decode(type, new Uint8Array(theirs)))).toEqual(plain(value));
        }
      },
    );
  });
}
