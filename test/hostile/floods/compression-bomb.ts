import {
  clientFrame,
  compressionBomb,
  flood,
  HostileSocket,
  OPCODES,
  upgradeRequest,
} from '@msg/testkit/hostile';
import { ENGINE_PATHS } from '../targets/engine-paths.ts';
import { type FloodKind, GROWTH_BYTES, MIB } from './flood.ts';

/** 64 KiB on the wire. */
const INFLATED_BYTES = 64 * MIB;
/** Within the limit of a message: what a fragment inflates to is kept until the last one. */
const FRAGMENT_BYTES = 60_000;
/** The code of the close frame: 1009, message too big. */
const TOO_BIG = Buffer.from([0x03, 0xf1]);
const EMPTY_PONG = Buffer.from([0x8a, 0x00]);

async function openCompressed(url: string): Promise<HostileSocket> {
  const socket = await HostileSocket.open(url);
  const headers = [['Sec-WebSocket-Extensions', 'permessage-deflate']] as const;
  socket.send(upgradeRequest({ target: ENGINE_PATHS.websocket, headers }));
  await socket.until(/^HTTP\/1\.1 101.*permessage-deflate.*\r\n\r\n/is);
  return socket;
}

export const COMPRESSION_BOMB: FloodKind = {
  name: 'compression bombs of 64 MiB',
  against: 'engine',
  peers: 1000,
  fewerPeers: 200,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const bomb = compressionBomb(INFLATED_BYTES);
    const { results, failures } = await flood({ count: peers, parallel: 100 }, async () => {
      const socket = await openCompressed(field.url);
      socket.send(bomb);
      await socket.untilBytes(TOO_BIG);
      return socket;
    });
    await field.inPlace();
    for (const socket of results) socket.reset();
    if (failures.length > 0)
      throw new Error(`${failures.length} bombs were not refused with 1009: ${failures[0]}`);
    return `${results.length} peers, all refused with 1009`;
  },
};

export const COMPRESSED_FRAGMENTS: FloodKind = {
  name: 'compressed messages that never end',
  against: 'engine',
  peers: 500,
  fewerPeers: 200,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const whole = compressionBomb(FRAGMENT_BYTES);
    const fragment = Buffer.from(whole);
    fragment[0] = 0x40 | OPCODES.text; // compressed, more to come
    const { results, failures } = await flood({ count: peers, parallel: 100 }, async () => {
      const socket = await openCompressed(field.url);
      await socket.sent(Buffer.concat([fragment, clientFrame('', { opcode: OPCODES.ping })]));
      await socket.untilBytes(EMPTY_PONG); // the fragment was taken
      return socket;
    });
    await field.inPlace();
    for (const socket of results) socket.reset();
    return `${results.length} peers, ${failures.length} not let in`;
  },
};
