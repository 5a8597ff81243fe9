import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { RealtimeNode } from '@msg/engine';
import { compareJoiners, comparePaced, countJoiners, measureFullReader } from './append-joining.ts';
import { type Appender, CountedReader, readersNode, token, whole } from './append-load.ts';
import { compareOnRedis } from './append-redis.ts';
import { measureInTurns, numericOptions } from './comparison.ts';
import { printQuantity } from './report.ts';
import { spread } from './statistics.ts';

const LENGTHS = [1000, 16_000, 128_000, 1_000_000];
const STREAMS = 1000;
const STREAM_BYTES = 65_536;

/** CPU microseconds of an operation. */
const PER_OPERATION = { name: 'µs CPU per operation', of: (us: number) => us, digits: 2 };

/** Messages that grow: what an append costs, and its readers (bench/README.md). */
export async function run(args: string[]): Promise<void> {
  const { pairs, operations, tokens, readers } = numericOptions(args, {
    pairs: 5,
    operations: 20_000,
    tokens: 8000,
    readers: 100,
  });
  await compareWithPublish(pairs, operations);
  await compareLengths(pairs, operations);
  await compareWithWholeText(pairs, tokens, readers);
  await compareWithPublications(pairs, tokens, readers);
  await comparePaced(pairs, tokens, readers);
  await compareJoiners();
  await countJoiners();
  await measureFullReader();
  await measureMemory();
  await compareOnRedis(pairs, operations);
}

async function compareWithPublish(pairs: number, operations: number): Promise<void> {
  console.log('append of a token of four bytes, without subscribers, against a publish of 64 bytes');
  const node = await readersNode(100);
  const measured = await measureInTurns(
    pairs,
    () => timeAppends(node, operations, 1000),
    () => timePublishes(node, operations),
  );
  printQuantity(measured, 'publish', { ...PER_OPERATION, wanted: '≤ 12' });
  await node.shutdown({ graceMs: 0 });
}

async function compareLengths(pairs: number, operations: number): Promise<void> {
  console.log(`append at ${LENGTHS.join(', ')} bytes of text`);
  const node = await readersNode(100);
  const rounds: number[][] = [];
  for (let round = -1; round < Math.max(5, pairs); round++) {
    const costs: number[] = [];
    for (const length of LENGTHS) costs.push(await timeAppends(node, operations, length));
    if (round >= 0) rounds.push(costs);
  }
  for (const [index, length] of LENGTHS.entries()) {
    console.log(
      `  ${length} bytes: ${spread(
        rounds.map(costs => costs[index] ?? Number.NaN),
        2,
      )} µs`,
    );
  }
  const medians = LENGTHS.map(
    (_, index) =>
      rounds.map(costs => costs[index] ?? Number.NaN).sort((a, b) => a - b)[rounds.length >> 1] ?? 0,
  );
  const ratio = Math.max(...medians) / Math.min(...medians);
  console.log(
    `  largest over smallest median: ratio ${ratio.toFixed(2)} over ${rounds.length} rounds, wanted ≤ 1.3`,
  );
  await node.shutdown({ graceMs: 0 });
}

async function compareWithWholeText(pairs: number, tokens: number, readers: number): Promise<void> {
  console.log(
    `${tokens} tokens to ${readers} readers with delta, against publishing the whole text with delta`,
  );
  const measured = await measureInTurns(
    pairs,
    () => timeAnswer(tokens, readers, 100, true, appends),
    () => timeAnswer(tokens, readers, 100, true, wholeTexts),
  );
  printQuantity(measured, 'whole texts', { ...PER_OPERATION, name: 'µs CPU per token', wanted: '≤ 0.15' });
}

async function compareWithPublications(pairs: number, tokens: number, readers: number): Promise<void> {
  console.log(
    `${tokens} tokens to ${readers} readers, window 0, against a publication for each with history 2000`,
  );
  const measured = await measureInTurns(
    pairs,
    () => timeAnswer(tokens, readers, 2000, true, appends),
    () => timeAnswer(tokens, readers, 2000, false, publications),
  );
  printQuantity(measured, 'publications', { ...PER_OPERATION, name: 'µs CPU per token', wanted: '≤ 1.2' });
}

async function measureMemory(): Promise<void> {
  setFlagsFromString('--expose_gc');
  const collect = runInNewContext('gc') as () => void;
  const node = await readersNode(100);
  collect();
  const before = process.memoryUsage();
  const piece = 'x'.repeat(1024);
  for (let stream = 0; stream < STREAMS; stream++) {
    for (let seq = 1; seq * piece.length <= STREAM_BYTES; seq++) {
      await node.append(`s${stream}`, { message: 'm', producer: 'p', seq, ops: [{ text: piece }] });
    }
  }
  collect();
  const after = process.memoryUsage();
  const used = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  const ratio = used / (STREAMS * STREAM_BYTES);
  console.log(
    `${STREAMS} open messages of 64 KiB: memory over text: ratio ${ratio.toFixed(2)} over 1 round, wanted ≤ 2.5`,
  );
  await node.shutdown({ graceMs: 0 });
}

let messages = 0;

async function timeAppends(node: RealtimeNode, operations: number, length: number): Promise<number> {
  const message = `m${++messages}`;
  let seq = 1;
  const append: Appender = op => node.append('append', { message, producer: 'p', seq: seq++, ops: [op] });
  await append({ text: 'x'.repeat(length) });
  const begun = process.cpuUsage();
  for (let n = 0; n < operations; n++) await append({ text: 'tok1' });
  const cost = perOperation(begun, operations);
  await append({ status: 'complete' });
  return cost;
}

async function timePublishes(node: RealtimeNode, operations: number): Promise<number> {
  const data = Buffer.from(JSON.stringify({ data: 'x'.repeat(53) }));
  const begun = process.cpuUsage();
  for (let n = 0; n < operations; n++) await node.publish('publish', data);
  return perOperation(begun, operations);
}

type Answer = (node: RealtimeNode, tokens: number) => Promise<void>;

async function appends(node: RealtimeNode, tokens: number): Promise<void> {
  for (let seq = 1; seq <= tokens; seq++) {
    await node.append('chat', { message: 'm', producer: 'p', seq, ops: [{ text: token(seq) }] });
    await turnEnd();
  }
}

async function wholeTexts(node: RealtimeNode, tokens: number): Promise<void> {
  let text = '';
  for (let count = 1; count <= tokens; count++) {
    text += token(count);
    await node.publish('chat', whole(text), { delta: true });
    await turnEnd();
  }
}

async function publications(node: RealtimeNode, tokens: number): Promise<void> {
  for (let count = 1; count <= tokens; count++) {
    await node.publish('chat', Buffer.from(`{"id":"m","text":"${token(count)}"}`));
    await turnEnd();
  }
}

/** Every token leaves in a write of its own, as it comes from a model. */
const turnEnd = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

async function timeAnswer(
  tokens: number,
  readers: number,
  history: number,
  delta: boolean,
  answer: Answer,
): Promise<number> {
  const node = await readersNode(history);
  const counted = Array.from({ length: readers }, () => new CountedReader(node, delta));
  for (let n = 0; n < 10; n++) await turnEnd();
  const begun = process.cpuUsage();
  await answer(node, tokens);
  const cost = perOperation(begun, tokens);
  await turnEnd();
  for (const reader of counted) {
    if (reader.publications < tokens) throw new Error(`a reader got ${reader.publications} of ${tokens}`);
  }
  await node.shutdown({ graceMs: 0 });
  return cost;
}

function perOperation(begun: NodeJS.CpuUsage, operations: number): number {
  const { user, system } = process.cpuUsage(begun);
  return (user + system) / operations;
}
