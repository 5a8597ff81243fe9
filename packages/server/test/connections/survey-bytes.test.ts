// What nodes tell each other about connections is bounded, and listings miss nothing for it (console 7, 7.2).
import { RealtimeNode } from '@msg/engine';
import { systemClock } from '@msg/foundation/clock';
import { DirectClient } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { ClusterConnections } from '#src/connections/cluster.ts';
import { LocalConnections } from '#src/connections/local.ts';
import { NodeSurveys } from '#src/realtime/node-surveys.ts';
import { connectionHandlers } from '#src/rpc/connections.ts';

const MOST_BYTES = 256 * 1024;
const MOST_CURSOR = 512;
/** Connections of each of the two nodes. */
const CONNECTIONS = 210;
const CHANNEL = 'public:shop.news';
const CALL = { principal: { kind: 'anonymous' } } as never;

const running: RealtimeNode[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map(node => node.shutdown({ graceMs: 0 })));
});

/** A node with a connection of each user, which is subscribed to the channel. */
async function nodeWith(users: readonly string[], info: string): Promise<RealtimeNode> {
  const connInfo = new TextEncoder().encode(JSON.stringify(info));
  const node = new RealtimeNode({
    policy: { connect: ({ token }) => ({ user: token, info: connInfo }), subscribe: () => ({}) },
    limits: { pingMs: 0 },
  });
  await node.start();
  running.push(node);
  for (const token of users) {
    const client = new DirectClient(node);
    client.send({ connect: { token } });
    client.send({ subscribe: { channel: CHANNEL } });
  }
  await new Promise(resolve => setImmediate(resolve));
  return node;
}

/** The handlers of a service of two nodes; `sizes` has the bytes of each answer between them. */
async function service(userOf: (n: number) => string, info = '') {
  const sizes: number[] = [];
  const nodes = await Promise.all(
    [0, 1].map(at =>
      nodeWith(
        Array.from({ length: CONNECTIONS }, (_, n) => userOf(2 * n + at)),
        info,
      ),
    ),
  );
  const rooms = nodes.map(node => {
    const surveys = new NodeSurveys(() => ({
      operational: true,
      nodes: () => nodes.map(({ id }) => id),
      survey: async (operation, data) => {
        const answers = await Promise.all(
          rooms.map(async room => [room.id, await room.surveys.respond(operation, data)] as const),
        );
        sizes.push(...answers.map(([, answer]) => answer?.data.length ?? 0));
        return new Map(
          answers.flatMap(([id, answer]) => (answer === undefined ? [] : [[id, answer] as const])),
        );
      },
    }));
    const connections = new ClusterConnections(new LocalConnections(() => node, systemClock), surveys);
    return { id: node.id, surveys, connections };
  });
  const [{ connections }] = rooms as [(typeof rooms)[number]];
  const handlers = connectionHandlers({
    connections,
    channels: { get: async () => ({}) as never, stateOf: () => 'open' },
    access: { showsPayloads: () => true },
  });
  return { handlers, sizes };
}

/** Follows the cursors to the end. */
async function everyPage<Row>(page: (cursor: string) => Promise<{ rows: readonly Row[]; next: string }>) {
  const rows: Row[] = [];
  let cursor = '';
  do {
    const { rows: more, next } = await page(cursor);
    expect(next.length).toBeLessThanOrEqual(MOST_CURSOR);
    expect(more.length).toBeGreaterThan(0);
    rows.push(...more);
    cursor = next;
  } while (cursor !== '');
  return rows;
}

const REQUEST = {
  user: '',
  client: '',
  transport: '',
  address: '',
  name: '',
  node: '',
  min_queue_bytes: 0,
  descending: false,
  limit: 200,
};

const NAMES: readonly (readonly [what: string, userOf: (n: number) => string])[] = [
  ['short names', n => `u-${String(n).padStart(4, '0')}`],
  ['255 control characters', n => String(n).padStart(4, '0').padEnd(255, '\u0001')],
  ['255 quotes', n => `"${n}`.padEnd(255, '"')],
  ['1,000 characters that differ at the end', n => 'ü'.repeat(996) + String(n).padStart(4, '0')],
  ['20,000 characters', n => String(n).padStart(4, '0').padEnd(20_000, 'x')],
];

/** Each once: by number, for a difference of long names says little. */
function expectEach(rows: readonly { readonly user: string }[], users: readonly string[]): void {
  const seen = rows.map(({ user }) => users.indexOf(user)).toSorted((a, b) => a - b);
  expect(seen).toEqual(users.map((_, index) => index));
}

describe.each(NAMES)('users with %s', (_, userOf) => {
  const users = Array.from({ length: 2 * CONNECTIONS }, (_unused, n) => userOf(n)).toSorted();

  it.each(['age', 'user'])(
    'are all in the list of connections by %s, each once, in answers of 256 KiB',
    async sort => {
      const { handlers, sizes } = await service(userOf);
      const rows = await everyPage(async cursor => {
        const { connections, next_cursor: next } = await handlers.ListConnections(
          { ...REQUEST, sort, cursor },
          CALL,
        );
        return { rows: connections, next };
      });
      expectEach(rows, users);
      expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_BYTES);
    },
  );

  it('are all in the list of users, each once', async () => {
    const { handlers, sizes } = await service(userOf);
    const rows = await everyPage(async cursor => {
      const { users: page, next_cursor: next } = await handlers.ListUsers(
        { query: '', limit: 200, cursor },
        CALL,
      );
      return { rows: page, next };
    });
    expectEach(rows, users);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_BYTES);
  });
});

it('subscribers with much to tell are all in the presence of a channel, in answers of 256 KiB', async () => {
  const { handlers, sizes } = await service(n => `u-${n}`, '"'.repeat(4000));
  const rows = await everyPage(async cursor => {
    const request = { name: CHANNEL, limit: 200, cursor };
    const { entries, next_cursor: next } = await handlers.PresenceList(request, CALL);
    return { rows: entries, next };
  });
  expect(new Set(rows.map(({ user }) => user)).size).toBe(2 * CONNECTIONS);
  expect(rows).toHaveLength(2 * CONNECTIONS);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(MOST_BYTES);
});
