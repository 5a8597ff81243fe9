import { type CommandEnvelope, type Encoding, type Init, jsonCodec, protobufCodec } from '@msg/protocol';
import { clientFrame, HostileSocket, OPCODES, rawRequest, upgradeRequest } from '@msg/testkit/hostile';
import { CHANNELS } from './channels.ts';

/** How a peer asks for 5 MiB. */
export interface Asking {
  readonly transport: 'websocket' | 'deflate' | 'http_stream' | 'sse';
  readonly encoding: Encoding;
  /** The command, for a channel and a place in its stream that differs from peer to peer. */
  readonly command: (channel: string, offset: number) => Init<CommandEnvelope>;
}

const history = (channel: string, offset: number) => ({
  history: { channel, limit: -1, since: { offset, epoch: '' } },
});
const reversed = (channel: string, offset: number) => ({
  history: { channel, limit: -1, since: { offset: 100_000 - offset, epoch: '' }, reverse: true },
});
const recovery = (channel: string, offset: number) => ({ subscribe: { channel, recover: true, offset } });
const delta = (channel: string, offset: number) => ({
  subscribe: { channel, recover: true, offset, delta: 'fossil' },
});
const filtered = (channel: string, offset: number) => ({
  subscribe: { channel, recover: true, offset, tf: { key: 'parity', cmp: 'eq', val: String(offset % 2) } },
});

export const ASKINGS: readonly Asking[] = [
  ...[history, reversed, recovery, delta, filtered].flatMap(command => [
    { transport: 'websocket', encoding: 'json', command } as const,
    { transport: 'websocket', encoding: 'protobuf', command } as const,
  ]),
  { transport: 'deflate', encoding: 'json', command: recovery },
  { transport: 'http_stream', encoding: 'json', command: history },
  { transport: 'http_stream', encoding: 'protobuf', command: recovery },
  { transport: 'sse', encoding: 'json', command: recovery },
];

/** Without patches, which take long to make: a busy machine would miss the deadlines of a store meanwhile. */
export const ASKINGS_WITHOUT_DELTA: readonly Asking[] = ASKINGS.filter(({ command }) => command !== delta);

/**
 * Sends a request for 5 MiB, one of the kinds by its number, and reads nothing. The peers ask from 20 different places
 * of each stream.
 */
export async function askAndReadNothing(
  origin: string,
  askings: readonly Asking[],
  number: number,
): Promise<HostileSocket> {
  const asking = askings[number % askings.length] as Asking;
  const channel = CHANNELS[Math.floor(number / askings.length) % CHANNELS.length]?.name ?? '';
  const { transport, encoding, command } = asking;
  const codec = encoding === 'json' ? jsonCodec : protobufCodec;
  const commands = codec.join([
    codec.encodeCommand({ id: 1, connect: {} }),
    codec.encodeCommand({ id: 2, ...command(channel, number % 20) }),
  ]);
  const socket = await HostileSocket.open(origin, { reads: false });
  if (transport === 'websocket' || transport === 'deflate') {
    const headers: [string, string][] =
      transport === 'deflate' ? [['Sec-WebSocket-Extensions', 'permessage-deflate']] : [];
    const target = `/connection/websocket?cf_protocol=${encoding}`;
    socket.send(upgradeRequest({ target, headers }));
    socket.send(clientFrame(commands, { opcode: encoding === 'json' ? OPCODES.text : OPCODES.binary }));
  } else {
    const type = encoding === 'json' ? 'application/json' : 'application/octet-stream';
    const headers: [string, string][] = [['Content-Type', type]];
    socket.send(rawRequest({ method: 'POST', target: `/${transport}`, headers, body: commands }));
  }
  return socket;
}
