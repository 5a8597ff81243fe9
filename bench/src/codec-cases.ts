import { readFileSync } from 'node:fs';
import { ChannelAddress, jsonCodec, Payload, protobufCodec } from '@msg/protocol';
import protobuf from 'protobufjs';

/** Two ways to do the same work. Each call does it once and answers something, so that nothing is optimised away. */
export interface CodecCase {
  readonly name: string;
  readonly ours: () => unknown;
  readonly baseline: () => unknown;
  readonly baselineName: string;
  /** How many times faster than the baseline we promise to be; 0: for information. */
  readonly target: number;
}

const PROTO = new URL('../../packages/protocol/test/proto/client.proto', import.meta.url);

const CHANNEL = 'public:chat.room.42';
const OFFSET = 4_711;

/** A chat message whose JSON has exactly 256 bytes. */
const PAYLOAD_TEXT = sized(
  { user: 'anna', at: 1_760_000_000_000, text: '', tags: ['a', 'b'], reply: null },
  256,
);

const CONNECT =
  '{"connect":{"token":"eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiIsImV4cCI6MTc2MDAwMDAwMH0.dGhpcyBpcyBub3QgYSByZWFsIHNpZ25hdHVyZQ","data":{"v":2},"name":"js","version":"1.4.0"},"id":1}';

const COMMANDS: readonly (readonly [name: string, json: string])[] = [
  ['connect', CONNECT],
  ['connect, no token', '{"connect":{"name":"js"},"id":1}'],
  ['subscribe', `{"subscribe":{"channel":"${CHANNEL}","flag":1},"id":2}`],
  ['pong', '{}'],
  ['publish, 256 bytes', `{"publish":{"channel":"${CHANNEL}","data":${PAYLOAD_TEXT}},"id":17}`],
];

export function codecCases(): CodecCase[] {
  const types = protobuf.parse(readFileSync(PROTO, 'utf8'), { keepCase: true }).root;
  const Reply = types.lookupType('centrifugal.centrifuge.protocol.Reply');
  const Command = types.lookupType('centrifugal.centrifuge.protocol.Command');
  return [...encodeCases(Reply), ...decodeCases(Command)];
}

function encodeCases(Reply: protobuf.Type): CodecCase[] {
  const cases: CodecCase[] = [];
  for (const [size, text] of [
    ['256 bytes', PAYLOAD_TEXT],
    ['32 bytes', sized({ n: 1, text: '' }, 32)],
  ] as const) {
    const bytes = Buffer.from(text);
    const publication = { data: Payload.ofJson(bytes), offset: OFFSET };
    const object: unknown = JSON.parse(text);
    for (const [how, target, address] of [
      ['name', ChannelAddress.byName(CHANNEL), { channel: CHANNEL }],
      ['id', ChannelAddress.byId(7), { id: 7 }],
    ] as const) {
      const message = { push: { ...address, pub: { data: bytes, offset: OFFSET } } };
      cases.push({
        name: `encode push, Protobuf, ${size}, by ${how}`,
        ours: () => protobufCodec.encodePublication(target, publication, 'plain'),
        baseline: () => Reply.encodeDelimited(message).finish(),
        baselineName: 'protobufjs',
        target: 2,
      });
      const plain = { push: { ...address, pub: { data: object, offset: OFFSET } } };
      cases.push({
        name: `encode push, JSON, ${size}, by ${how}`,
        ours: () => jsonCodec.encodePublication(target, publication, 'plain'),
        baseline: () => Buffer.from(JSON.stringify(plain)),
        baselineName: 'JSON.stringify',
        target: 1,
      });
    }
  }
  const info = { user: '42', client: '0f3c2c0e-6f0c-4a6e-9a55-0a4c1b1f7a10' };
  const target = ChannelAddress.byName(CHANNEL);
  const join = { push: { channel: CHANNEL, join: { info } } };
  cases.push({
    name: 'encode join, Protobuf',
    ours: () => protobufCodec.encodeJoin(target, info),
    baseline: () => Reply.encodeDelimited(join).finish(),
    baselineName: 'protobufjs',
    target: 0,
  });
  return cases;
}

function decodeCases(Command: protobuf.Type): CodecCase[] {
  return COMMANDS.flatMap(([name, json]) => {
    const frame = Buffer.from(json);
    const { id, ...members } = JSON.parse(json);
    for (const request of Object.values(members) as Record<string, unknown>[]) {
      if (request['data'] !== undefined) request['data'] = Buffer.from(JSON.stringify(request['data']));
    }
    const binary = Buffer.from(Command.encodeDelimited({ id, ...members }).finish());
    return [
      {
        name: `decode ${name}, JSON`,
        ours: () => jsonCodec.commands(frame).next(),
        baseline: () => JSON.parse(frame.toString()),
        baselineName: 'JSON.parse',
        target: 1,
      },
      {
        name: `decode ${name}, Protobuf`,
        ours: () => protobufCodec.commands(binary).next(),
        baseline: () => Command.decodeDelimited(binary),
        baselineName: 'protobufjs',
        target: 0,
      },
    ];
  });
}

/** JSON of `value` with its `text` member filled so that it has `size` bytes. */
function sized(value: Record<string, unknown>, size: number): string {
  const missing = size - JSON.stringify(value).length;
  return JSON.stringify({ ...value, text: 'lorem ipsum dolor sit amet '.repeat(20).slice(0, missing) });
}
