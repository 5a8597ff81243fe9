import { bodyChunk, flood, HostileSocket, rawRequest, unfinishedRequest } from '@msg/testkit/hostile';
import type { AttackedRoute } from '../route.ts';
import { type Battlefield, type FloodKind, GROWTH_BYTES, MIB } from './flood.ts';

/** The largest body that a route takes, and one byte that never comes. */
const LARGEST_BYTES = 4 * MIB;
const CONTENT = Buffer.alloc(LARGEST_BYTES, ' ');
/** A peer that the server does not read from has sent enough. */
const SENDING_MS = 3000;

/** Routes in the part for CI. */
const SHORT_ROUTES = 3;

/** Sizes that hide among others, that fill a small limit, that fill the largest. */
function sizeOf({ random }: Battlefield): number {
  const most = random.pick([1024, 16_384, 65_536, LARGEST_BYTES]);
  return 2 + random.below(most - 2);
}

async function beginBody(field: Battlefield, { request }: AttackedRoute): Promise<HostileSocket> {
  const size = sizeOf(field);
  const socket = await HostileSocket.open(field.url);
  const { method, target, headers = [] } = request;
  socket.send(unfinishedRequest({ method, target, headers }, size));
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([
    socket.sent(CONTENT.subarray(0, size - 1)),
    new Promise(resolve => {
      timer = setTimeout(resolve, SENDING_MS);
    }),
  ]);
  clearTimeout(timer);
  return socket;
}

async function unfinishedBodies(
  field: Battlefield,
  peers: number,
  candidates: readonly AttackedRoute[],
): Promise<string> {
  const { random, short } = field;
  const routes = short ? random.shuffled(candidates).slice(0, SHORT_ROUTES) : candidates;
  let sent = 0;
  let answered = 0;
  for (const route of routes) {
    const { results } = await flood({ count: peers, parallel: peers }, () => beginBody(field, route));
    await field.inPlace();
    sent += results.length;
    answered += results.filter(({ text, end }) => text !== '' || end !== undefined).length;
    for (const socket of results) socket.reset();
  }
  return `${sent} bodies on ${routes.length} routes, ${answered} refused before their end`;
}

function isAuthorized({ request }: AttackedRoute): boolean {
  return (request.headers ?? []).some(([name]) => name === 'Authorization');
}

export const AUTHORIZED_BODIES: FloodKind = {
  name: 'bodies that never end, with a credential',
  against: 'service',
  peers: 1000,
  fewerPeers: 250,
  // Besides the budget of bodies in flight.
  growthBytes: GROWTH_BYTES + 64 * MIB,
  run: (field, peers) =>
    unfinishedBodies(
      field,
      peers,
      field.routes.filter(route => route.request.method === 'POST' && isAuthorized(route)),
    ),
};

export const ANONYMOUS_BODIES: FloodKind = {
  name: 'bodies that never end, without a credential',
  against: 'service',
  peers: 1000,
  fewerPeers: 250,
  growthBytes: GROWTH_BYTES,
  run: (field, peers) =>
    unfinishedBodies(
      field,
      peers,
      field.routes
        .filter(({ request }) => request.method === 'POST')
        .map(route => ({ ...route, request: { ...route.request, headers: [] } })),
    ),
};

/** As much as two reads of the service take: 20,000 pieces. */
const CRUMBS = Buffer.concat(Array.from({ length: 20_000 }, () => bodyChunk('x')));

export const CRUMBLED_BODIES: FloodKind = {
  name: 'bodies in chunks of one byte, with a credential',
  against: 'service',
  // One read of a socket is parsed whole by Node: 11,000 chunks, ten milliseconds.
  peers: 200,
  fewerPeers: 50,
  growthBytes: GROWTH_BYTES,
  async run(field, peers) {
    const route = field.routes.find(({ name }) => name.endsWith('/Publish'));
    if (route === undefined) throw new Error('there is no Publish');
    const { method, target, headers = [] } = route.request;
    const head = rawRequest({ method, target, headers: [...headers, ['Transfer-Encoding', 'chunked']] });
    const { results, failures } = await flood({ count: peers, parallel: peers }, async () => {
      const socket = await HostileSocket.open(field.url);
      await socket.sent(Buffer.concat([head, CRUMBS]));
      return socket;
    });
    await field.inPlace();
    const ends = await Promise.allSettled(results.map(socket => socket.ended()));
    const cut = ends.filter(({ status }) => status === 'fulfilled').length;
    for (const socket of results) socket.reset();
    if (cut < results.length) throw new Error(`${results.length - cut} bodies in crumbs were read on`);
    return `${results.length} peers, ${failures.length} not let in, ${cut} cut by the service`;
  },
};
