// A node that cannot read the message of a state (append streams 9.1): it knows less, and says nothing wrong.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type AppendWriter, appendStream, createRpcClient } from '@msg/core';
import { eventually } from '@msg/testkit';
import { FaultProxy, RedisServer } from '@msg/testkit/redis';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClusterNode, readiness, startNode } from '../../../support/cluster.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { closeClients, received, stockClient } from '../../../support/stock-client.ts';
import { appendingArguments, CHANNEL } from './configuration.ts';

const TEST_MS = 180_000;
const PREFIX = 'older';
const OTHER = 'public:grow.other';
/** Tokens of a message, and each so many a publication into its channel and one into another channel. */
const TOKENS = 60;
const NOTE_EVERY = 10;
const PACE_MS = 20;
/** A kind of message between nodes that this version does not have. */
const [STATE, LATER] = ['__a1:', '__z1:'];
/** `bin/msg.js` of an older version, whose node then takes the place of the one behind the proxy. */
const OLDER = process.env['MSG_OLDER_PROGRAM'] ?? '';
/** A gap is noticed by the next publication, or by the check of positions. */
const NOTICED_MS = 60_000;

let redis: RedisServer;
let proxy: FaultProxy;
let renamed = 0;
let nodes: ClusterNode[] = [];

/** To the node behind it every state is a message of a kind that it does not know. */
function rename(piece: Buffer): void {
  for (let at = piece.indexOf(STATE); at >= 0; at = piece.indexOf(STATE, at)) {
    piece.write(LATER, at);
    renamed++;
  }
}

beforeEach(async () => {
  renamed = 0;
  redis = await RedisServer.start();
  proxy = await FaultProxy.start(redis);
  proxy.tap = (piece, from) => {
    if (from === 'server') rename(piece);
    return undefined;
  };
  nodes = [
    await startNode(redis.address, PREFIX, { args: await appendingArguments(await temporaryFolder()) }),
    await startOlder(),
  ];
}, TEST_MS);
afterEach(async () => {
  closeClients();
  await Promise.all(nodes.splice(0).map(node => node.stop()));
  await proxy.stop();
  await redis.stop();
}, TEST_MS);

async function startOlder(): Promise<ClusterNode> {
  const folder = await temporaryFolder();
  if (OLDER === '') return startNode(proxy.address, PREFIX, { args: await appendingArguments(folder) });
  const file = join(folder, 'older.yaml');
  await writeFile(file, 'channels:\n  open:\n    - { pattern: "public:grow.**" }\n');
  return startNode(redis.address, PREFIX, { program: OLDER, args: ['--config', file] });
}

const [newNode, olderNode] = [() => nodes[0] as ClusterNode, () => nodes[1] as ClusterNode];

/** A stock client on the older node: what it gets, and how its subscription and connection fare. */
async function read(channel: string, delta: boolean) {
  const client = stockClient(olderNode().websocketUrl);
  const again = { minResubscribeDelay: 20, maxResubscribeDelay: 200 };
  const subscription = client.newSubscription(channel, delta ? { delta: 'fossil', ...again } : again);
  const publications = received(subscription);
  const ends: unknown[] = [];
  subscription.on('unsubscribed', ({ code }) => ends.push(`unsubscribed ${code}`));
  client.on('disconnected', ({ code }) => ends.push(`disconnected ${code}`));
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);
  const documents = () => publications.map(({ data }) => data as Record<string, unknown>);
  return {
    ends,
    notes: () =>
      documents()
        .filter(({ note }) => note !== undefined)
        .map(({ note }) => Number(note)),
    states: () => documents().filter(({ note }) => note === undefined),
  };
}

async function publish(channel: string, note: number): Promise<void> {
  const data = Buffer.from(JSON.stringify({ note })).toString('base64');
  expect(await newNode().rpc('Publish', { name: channel, data })).toMatchObject({ status: 200 });
}

/** Lets a message grow, with publications between; answers its text and their numbers. */
async function grow(
  stream: AppendWriter,
): Promise<{ readonly text: string; readonly notes: readonly number[] }> {
  let text = '';
  const notes: number[] = [];
  for (let n = 1; n <= TOKENS; n++) {
    text += `<${n}>`;
    await stream.write(`<${n}>`);
    await pause(PACE_MS);
    if (n % NOTE_EVERY > 0) continue;
    notes.push(n);
    await publish(CHANNEL, n);
    await publish(OTHER, n);
  }
  return { text, notes };
}

describe(`a node of ${OLDER === '' ? 'a version that does not know states' : OLDER}`, () => {
  it(
    'lives, delivers nothing that is not true, and everything else',
    async () => {
      const readers = [await read(CHANNEL, true), await read(CHANNEL, false)];
      const other = await read(OTHER, true);
      const rpc = createRpcClient({ server: newNode().url, token: newNode().token, fetch });
      const stream = await appendStream(rpc, CHANNEL, { message: 'm' });
      const { text, notes } = await grow(stream);
      expect(await stream.complete()).toMatchObject({ status: 'complete' });
      // What comes after the end is a publication like any other.
      await publish(CHANNEL, TOKENS + 1);
      const all = [...notes, TOKENS + 1];
      await eventually(
        'the readers have every publication',
        () => readers.every(reader => reader.notes().at(-1) === TOKENS + 1),
        NOTICED_MS,
      );
      expect(other.notes()).toEqual(notes);
      for (const { ends, notes: seen, states } of [...readers, other]) {
        expect(ends).toEqual([]);
        const faults = states().filter(({ id, text: part }) => id !== 'm' || !text.startsWith(String(part)));
        expect(faults).toEqual([]);
        expect(seen()).toEqual(seen().toSorted((a, b) => a - b));
        expect(new Set(seen()).size).toBe(seen().length);
      }
      expect((await readiness(olderNode().url)).body.ready).toBe(true);
      expect(await olderNode().rpc('Presence', { name: OTHER })).toMatchObject({ status: 200 });
      // A program of before append streams misses publications between states.
      if (OLDER !== '') return;
      expect(readers.map(reader => reader.notes())).toEqual([all, all]);
      expect(renamed).toBeGreaterThan(notes.length);
      expect(olderNode().output().stderr).toContain(
        `a message between nodes for ${CHANNEL} could not be read`,
      );
      // The store has what the messages say: the text comes from there.
      for (const { states } of readers) expect(states().at(-1)).toMatchObject({ status: 'complete', text });
    },
    TEST_MS,
  );
});
