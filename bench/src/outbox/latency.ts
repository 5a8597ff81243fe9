import { setTimeout as pause } from 'node:timers/promises';
import { RawClient } from '@msg/testkit';
import { Client } from 'pg';
import { measureInTurns } from '../comparison.ts';
import { printQuantity } from '../report.ts';
import { CHANNELS, PAYLOAD, type Scene } from './scene.ts';

const CHANNEL = 'public:bench.outbox.c0';
const LONGEST_PAUSE_MS = 100;
/** Commits a second of a busy stream, and those who make them. */
const STREAM = 500;
const STREAM_WRITERS = 8;

interface Latencies {
  readonly p50: number;
  readonly p99: number;
}

/** From the commit to a subscriber, with the bell and without, beside a publish from its call to the same subscriber. */
export async function printLatency(scene: Scene, pairs: number, count: number): Promise<void> {
  const subscriber = await subscribed(scene);
  const writer = new Client({ connectionString: scene.url });
  await writer.connect();
  try {
    const measure = async (title: string): Promise<void> => {
      const measured = await measureInTurns(
        pairs,
        () =>
          sample(
            count,
            n => subscriber.got(n),
            n => committed(writer, n),
          ),
        () =>
          sample(
            count,
            n => subscriber.got(n),
            n => published(scene, n),
          ),
      );
      console.log(`outbox: commit to subscriber ${title}`);
      for (const quantile of ['p50', 'p99'] as const) {
        const of = (latencies: Latencies): number => latencies[quantile];
        printQuantity(measured, 'direct publish', { name: `${quantile}, ms`, of, digits: 1 });
      }
    };
    await scene.ask({ kind: 'work', bell: true });
    await measure('with the bell');
    await besideStream(scene, () => measure(`with the bell, in a stream of ${STREAM} commits a second`));
    await scene.ask({ kind: 'work', bell: false });
    await measure('by polling every 500 ms');
    await scene.ask({ kind: 'rest' });
  } finally {
    subscriber.close();
    await writer.end();
  }
}

/** Other writers commit so many rows a second into other channels meanwhile. */
async function besideStream({ url }: Scene, work: () => Promise<void>): Promise<void> {
  const writers = Array.from({ length: STREAM_WRITERS }, () => new Client({ connectionString: url }));
  await Promise.all(writers.map(writer => writer.connect()));
  let isOver = false;
  let begun = 0;
  const start = performance.now();
  const streaming = writers.map(async writer => {
    while (!isOver) {
      const turn = begun++;
      await pause(Math.max(0, start + (turn * 1000) / STREAM - performance.now()));
      const channel = CHANNELS[1 + (turn % (CHANNELS.length - 1))] ?? '';
      await writer.query('SELECT msg.publish($1, $2::text)', [channel, PAYLOAD]);
    }
  });
  try {
    await work();
  } finally {
    isOver = true;
    await Promise.all(streaming);
    await Promise.all(writers.map(writer => writer.end()));
  }
}

let number = 0;

/** Begins a transaction; what is answered commits it. */
async function committed(writer: Client, n: number): Promise<() => Promise<unknown>> {
  await writer.query('BEGIN');
  await writer.query('SELECT msg.publish($1, $2::text)', [CHANNEL, JSON.stringify({ n })]);
  return () => writer.query('COMMIT');
}

async function published({ rpc }: Scene, n: number): Promise<() => Promise<unknown>> {
  const data = new TextEncoder().encode(JSON.stringify({ n }));
  return () => rpc.call('Publish', { name: CHANNEL, data });
}

async function sample(
  count: number,
  got: (n: number) => Promise<void>,
  prepare: (n: number) => Promise<() => Promise<unknown>>,
): Promise<Latencies> {
  const times: number[] = [];
  for (let round = 0; round < count; round++) {
    await pause((round * 37) % LONGEST_PAUSE_MS);
    const n = ++number;
    const publish = await prepare(n);
    const start = performance.now();
    await Promise.all([publish(), got(n).then(() => times.push(performance.now() - start))]);
  }
  times.sort((a, b) => a - b);
  const at = (part: number): number =>
    times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? Number.NaN;
  return { p50: at(0.5), p99: at(0.99) };
}

/** A subscriber that tells when a number arrives. */
async function subscribed({ service }: Scene) {
  const client = await RawClient.open(service.websocketUrl);
  const waiting = new Map<number, () => void>();
  client.websocket.on('message', data => {
    // A client that answers no ping is sent away.
    if (String(data) === '{}') client.websocket.send('{}');
    for (const [, n] of String(data).matchAll(/"data":\{"n":(\d+)\}/g)) waiting.get(Number(n))?.();
  });
  client.websocket.send('{"id":1,"connect":{}}\n{"id":2,"subscribe":{"channel":"public:bench.outbox.c0"}}');
  await pause(500);
  return {
    got: (n: number) => new Promise<void>(resolve => waiting.set(n, resolve)),
    close: () => client.websocket.terminate(),
  };
}
