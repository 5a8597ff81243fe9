import { setTimeout as wait } from 'node:timers/promises';
import { eventually } from '@msg/testkit';
import { clientFrame, flood, HostileSocket, OPCODES, upgradeRequest } from '@msg/testkit/hostile';
import { type FloodKind, GROWTH_BYTES, MIB } from './flood.ts';

/** The longest ping there is (RFC 6455, 5.5). */
const PING = clientFrame(Buffer.alloc(125, 'p'), { opcode: OPCODES.ping });
const PONG_BYTES = 2 + 125;
/** More pings in one piece than a connection may have waiting for a pong, and fewer. */
const PINGS_UNREAD = 500;
const PINGS_READ = 32;
/** What one peer sends in all; the pongs are as long. */
const PEER_BYTES = 8 * MIB;
const FLOOD_MS = 6000;

async function openSession(url: string): Promise<HostileSocket> {
  const socket = await HostileSocket.open(url, { keepBytes: 65_536 });
  socket.send(upgradeRequest());
  await socket.until(/^HTTP\/1\.1 101/);
  socket.send(clientFrame('{"id":1,"connect":{}}'));
  await socket.until(/"connect":\{/);
  return socket;
}

/** Sends pings as long as their pongs come, or into the void. Answers the bytes sent. */
async function ping(socket: HostileSocket, reads: boolean, deadline: Promise<boolean>): Promise<number> {
  if (!reads) socket.stopReading();
  const piece = Buffer.concat(Array.from({ length: reads ? PINGS_READ : PINGS_UNREAD }, () => PING));
  let sentBytes = 0;
  while (sentBytes < PEER_BYTES && socket.end === undefined) {
    const before = socket.receivedBytes;
    if (!(await Promise.race([socket.sent(piece), deadline]))) break;
    sentBytes += piece.length;
    if (reads && !(await Promise.race([pong(socket, before), deadline]))) break;
  }
  return sentBytes;
}

/** Waits for a pong: pings that arrive together get one. */
async function pong(socket: HostileSocket, before: number): Promise<boolean> {
  const arrived = (): boolean => socket.receivedBytes >= before + PONG_BYTES || socket.end !== undefined;
  await eventually('a pong', arrived).catch(() => {});
  return socket.end === undefined;
}

/** Half of the peers read their pongs and go on as fast as the service answers, half never read. */
export const PING_FLOOD: FloodKind = {
  name: 'pings, half of their pongs unread',
  against: 'service',
  peers: 200,
  fewerPeers: 100,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const opening = await flood({ count: peers, parallel: peers }, () => openSession(field.url));
    const sockets = opening.results;
    const deadline = wait(FLOOD_MS, false);
    const sent = await Promise.all(sockets.map((socket, i) => ping(socket, i % 2 === 0, deadline)));
    await field.inPlace();
    const ended = sockets.filter(({ end }) => end !== undefined).length;
    for (const socket of sockets) socket.reset();
    const sentBytes = sent.reduce((sum, bytes) => sum + bytes, 0);
    return `${sockets.length} peers sent ${Math.round(sentBytes / MIB)} MiB, ${ended} were cut`;
  },
};
