import { rpcPublisher } from '@msg/postgres';
import { measureInTurns, type Pair } from '../comparison.ts';
import { printQuantity } from '../report.ts';
import { CHANNELS, fill, PAYLOAD, type Scene } from './scene.ts';

const BATCH = 500;
const WARM_ROWS = 100_000;

interface Rate {
  /** Publications a second. */
  readonly rate: number;
}

/** Rows a second out of the outbox, beside PublishMany of the same batches and beside single Publish calls. */
export async function printDrain(scene: Scene, pairs: number, rows: number): Promise<void> {
  console.log(
    `outbox: ${rows} rows of ${PAYLOAD.length} bytes into ${CHANNELS.length} channels, through the RPC`,
  );
  const drained = () => drain(scene, rows);
  const many = await measureInTurns(pairs, drained, () => publishMany(scene, rows));
  printRate(many, 'PublishMany', '≥ 0.2');
  const single = await measureInTurns(pairs, drained, () => publishOneByOne(scene, Math.ceil(rows / 10)));
  printRate(single, 'single Publish', '≥ 1.0');
}

function printRate(measured: readonly Pair<Rate>[], baseline: string, wanted: string): void {
  printQuantity(measured, baseline, {
    name: 'publications per second',
    of: ({ rate }) => rate,
    digits: 0,
    wanted,
  });
}

async function drain(scene: Scene, rows: number): Promise<Rate> {
  await fill(scene, rows);
  const { ms } = await scene.ask({ kind: 'drain', rows });
  return { rate: (rows * 1000) / ms };
}

let version = Date.now() * 1000;

/** The same batches as a worker makes: the rows of one channel after the other, with versions and keys. */
async function publishMany({ rpc }: Scene, count: number): Promise<Rate> {
  const publisher = rpcPublisher(rpc);
  const payload = new TextEncoder().encode(PAYLOAD);
  const start = performance.now();
  for (let done = 0; done < count; done += BATCH) {
    const name = CHANNELS[(done / BATCH) % CHANNELS.length] ?? '';
    const items = Array.from({ length: Math.min(BATCH, count - done) }, () => ({
      name,
      payload,
      tags: {},
      idempotencyKey: `outbox:${crypto.randomUUID()}`,
      skipHistory: false,
      version: ++version,
      versionEpoch: 'outbox:straight',
    }));
    await publisher.publishMany(items, { parallel: true, stopChannelOnError: true });
  }
  return { rate: (count * 1000) / (performance.now() - start) };
}

async function publishOneByOne({ rpc }: Scene, count: number): Promise<Rate> {
  const data = new TextEncoder().encode(PAYLOAD);
  const start = performance.now();
  for (let done = 0; done < count; done++)
    await rpc.call('Publish', { name: CHANNELS[done % CHANNELS.length] ?? '', data });
  return { rate: (count * 1000) / (performance.now() - start) };
}

/** A backlog: its last tenth beside its first, and the memory of the worker beside that of one that idles. */
export async function printBacklog(scene: Scene, rows: number): Promise<void> {
  // Code, buffers and the young heap of the work itself have their size before, whatever the backlog.
  await drain(scene, WARM_ROWS);
  await fill(scene, rows);
  const { tenths, idleBytes, highestBytes } = await scene.ask({ kind: 'drain', rows });
  const [first = Number.NaN] = tenths;
  const speed = (ms: number): string => ((rows / 10 / ms) * 1000).toFixed(0);
  console.log(`outbox: a backlog of ${rows} rows`);
  console.log(
    `  rows per second of each tenth: ${tenths.map(speed).join(', ')}; ` +
      `last tenth over first: ratio ${(first / (tenths.at(-1) ?? Number.NaN)).toFixed(2)} (one run), wanted ≥ 0.8`,
  );
  console.log(
    `  worker memory, MiB: idle ${mebibytes(idleBytes)}, highest ${mebibytes(highestBytes)}, ` +
      `ratio ${(highestBytes / idleBytes).toFixed(2)} (one run), wanted ≤ 1.2`,
  );
}

const mebibytes = (bytes: number): string => (bytes / 2 ** 20).toFixed(0);
