import { setTimeout as wait } from 'node:timers/promises';
import { clientFrame, flood, HostileSocket, upgradeRequest } from '@msg/testkit/hostile';
import { type Battlefield, type FloodKind, GROWTH_BYTES } from './flood.ts';

const CHANNEL = 'public:hostile.history';
/** 100 publications of this size are 5 MiB. */
const PUBLICATION_BYTES = 52_429;
const PUBLICATIONS = 100;
/** Time for replies to be built and for the stall time to run out. */
const UNREAD_MS = 4000;

async function fillHistory({ call }: Battlefield): Promise<void> {
  await call('OpenPublic', { name: CHANNEL });
  const data = btoa(JSON.stringify('x'.repeat(PUBLICATION_BYTES)));
  for (let i = 0; i < PUBLICATIONS; i++) await call('Publish', { name: CHANNEL, data });
}

/** Peers that send their commands in one piece and never read a byte. */
async function unreadReplies(
  field: Battlefield,
  peers: number,
  commands: readonly string[],
): Promise<string> {
  const bytes = Buffer.concat([upgradeRequest(), ...commands.map(command => clientFrame(command))]);
  const { results, failures } = await flood({ count: peers, parallel: peers }, async () => {
    const socket = await HostileSocket.open(field.url, { reads: false });
    await socket.sent(bytes);
    return socket;
  });
  await wait(UNREAD_MS);
  await field.inPlace();
  for (const socket of results) socket.reset();
  return `${results.length} peers, ${failures.length} not let in`;
}

const shared = {
  against: 'service',
  prepare: fillHistory,
  peers: 1000,
  fewerPeers: 1000,
  growthBytes: GROWTH_BYTES,
} as const;

export const HISTORY_READERS: FloodKind = {
  ...shared,
  name: 'history of 5 MiB, read by nobody',
  run: (field, peers) =>
    unreadReplies(field, peers, [
      '{"id":1,"connect":{}}',
      `{"id":2,"subscribe":{"channel":"${CHANNEL}"}}`,
      `{"id":3,"history":{"channel":"${CHANNEL}","limit":1000}}`,
    ]),
};

export const RECOVERY_READERS: FloodKind = {
  ...shared,
  name: 'recovery of 5 MiB, read by nobody',
  run: (field, peers) =>
    unreadReplies(field, peers, [
      '{"id":1,"connect":{}}',
      `{"id":2,"subscribe":{"channel":"${CHANNEL}","recover":true,"offset":0}}`,
    ]),
};
