import {
  applyDelta,
  ChannelAddress,
  CommandStream,
  createDelta,
  type Encoding,
  jsonCodec,
  Payload,
  protobufCodec,
  ReplyStream,
} from '@msg/protocol';
import { classifyPayload, createPatch, decodeBrokerMessage, decodeControl } from '@msg/protocol/internal';
import { BASE } from './corpus.ts';

/** One decoder under test. It may throw `DecodeError`, nothing else. */
export interface Target {
  readonly name: string;
  readonly run: (input: Uint8Array) => void;
}

const codecs = [jsonCodec, protobufCodec] as const;
const TARGET = ChannelAddress.byName('c');

function drain(reader: { next(): unknown }): void {
  while (reader.next() !== null);
}

/** Feeds the input in two pieces: what is waiting in between must come out the same. */
function split(
  stream: { push(chunk: Uint8Array): void; next(): unknown; end(): void },
  input: Uint8Array,
): void {
  const middle = input.length === 0 ? 0 : (input[0]! * 31 + input.length) % input.length;
  stream.push(input.subarray(0, middle));
  drain(stream);
  stream.push(input.subarray(middle));
  drain(stream);
  stream.end();
}

/** A payload must be classified alike whatever is done to it, and reach JSON connections as valid JSON. */
function payloadForms(input: Uint8Array): void {
  const payload = new Payload(input);
  if (classifyPayload(input) !== payload.kind) throw new Error('classified differently');
  for (const form of ['plain', 'delta-full'] as const) {
    const message = jsonCodec.encodePublication(TARGET, { data: payload }, form);
    if (message.includes(0x0a)) throw new Error('line break in a message');
    drain(jsonCodec.replies(message));
  }
}

function deltaOf(input: Uint8Array): void {
  const patch = createDelta(BASE, input);
  const back = applyDelta(BASE, patch);
  if (back.length !== input.length || !back.every((byte, i) => byte === input[i]))
    throw new Error('another target');
  const chosen = createPatch(input, BASE, { utf8: true });
  if (chosen !== null && chosen.length >= BASE.length) throw new Error('patch does not pay');
}

export const TARGETS: readonly Target[] = [
  ...codecs.flatMap((codec): Target[] => {
    const encoding: Encoding = codec.encoding;
    return [
      { name: `${encoding} commands`, run: input => drain(codec.commands(input)) },
      { name: `${encoding} replies`, run: input => drain(codec.replies(input)) },
      {
        name: `${encoding} emulation`,
        run: input => codec.emulationFrame(codec.decodeEmulation(input).data),
      },
      { name: `${encoding} command stream`, run: input => split(new CommandStream(encoding), input) },
      { name: `${encoding} reply stream`, run: input => split(new ReplyStream(encoding), input) },
    ];
  }),
  { name: 'control', run: decodeControl },
  { name: 'broker message', run: decodeBrokerMessage },
  { name: 'delta apply', run: input => applyDelta(BASE, input, 65_536) },
  { name: 'delta create', run: deltaOf },
  { name: 'payload', run: payloadForms },
];
