// Append streams as they are used: tokens at the pace of a model, readers that come late, and readers without delta.
import type { RealtimeNode } from '@msg/engine';
import { ManualClock } from '@msg/foundation/clock/testing';
import { jsonCodec } from '@msg/protocol';
import { CountedReader, readersNode } from './append-load.ts';
import { measureInTurns } from './comparison.ts';
import { printQuantity } from './report.ts';

const TOKEN = 'tok ';
const HISTORY = 2000;
const WINDOW_MS = 40;
/** Between two tokens of a model that says 100 a second. */
const TOKEN_MS = 10;
/** Answers of one measurement: one of 8,000 tokens takes 30 ms, too short beside what else a process does. */
const ANSWERS = 5;
const JOINERS = 10_000;
const JOINED_BYTES = 65_536;
const FULL_BYTES = 256 * 1024 - 4096;
const FULL_SECONDS = 10;

const PER_TOKEN = { name: 'µs CPU per token', of: (us: number) => us, digits: 2 };

type Say = (node: RealtimeNode, count: number) => Promise<unknown>;

const append: Say = (node, count) =>
  node.append('chat', { message: 'm', producer: 'p', seq: count, ops: [{ text: TOKEN }] });
const publication = Buffer.from(JSON.stringify({ id: 'm', text: TOKEN }));
const publish: Say = async node => node.publish('chat', publication);

const turnEnd = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** Tokens one after the other, each in a turn of its own. */
async function sayAll(node: RealtimeNode, say: Say, from: number, to: number): Promise<void> {
  for (let count = from; count <= to; count++) await say(node, count);
}

/** What the window spares: tokens at the pace of a model. */
export async function comparePaced(pairs: number, tokens: number, readers: number): Promise<void> {
  console.log(
    `${tokens} tokens, 100 a second, to ${readers} readers, window ${WINDOW_MS} ms, against a publication for each`,
  );
  const timeAll = async (say: Say, delta: boolean): Promise<number> => {
    let all = 0;
    for (let answer = 0; answer < ANSWERS; answer++) all += await timePaced(say, tokens, readers, delta);
    return all / ANSWERS;
  };
  const measured = await measureInTurns(
    pairs,
    () => timeAll(append, true),
    () => timeAll(publish, false),
  );
  printQuantity(measured, 'publications', { ...PER_TOKEN, wanted: '≤ 0.5' });
}

async function timePaced(say: Say, tokens: number, readers: number, delta: boolean): Promise<number> {
  const clock = new ManualClock();
  const node = await readersNode(HISTORY, WINDOW_MS, clock);
  const counted = Array.from({ length: readers }, () => new CountedReader(node, delta));
  const said: Promise<unknown>[] = [];
  const time = async (inTurn: (count: number) => void): Promise<number> => {
    const begun = process.cpuUsage();
    for (let count = 1; count <= tokens; count++) {
      inTurn(count);
      await clock.advance(TOKEN_MS);
    }
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / tokens;
  };
  // What the clock of the bench costs is no part of either side: after each timer it waits for a turn of the event loop.
  const idle = await time(count => {
    if (delta && (count * TOKEN_MS) % WINDOW_MS === 0) clock.setTimeout(() => {}, TOKEN_MS);
  });
  const all = await time(count => said.push(say(node, count)));
  await clock.advance(WINDOW_MS);
  await Promise.all(said);
  for (const { publications } of counted)
    if (publications < tokens / 4) throw new Error(`a reader got ${publications} publications`);
  await node.shutdown({ graceMs: 0 });
  return all - idle;
}

interface Joined {
  readonly bytes: number;
  readonly text: string;
  readonly publications: number;
}

/** What a reader gets that comes after so many tokens. */
async function join(say: Say, tokens: number): Promise<Joined> {
  const node = await readersNode(HISTORY);
  await sayAll(node, say, 1, tokens);
  const { epoch } = await node.history('chat', { limit: 0 });
  const reader = new CountedReader(node, false, { recover: true, offset: 0, epoch });
  await turnEnd();
  await turnEnd();
  const publications = messagesOf(reader.written ?? []).flatMap(
    ({ subscribe, push }) => subscribe?.publications ?? push?.pub ?? [],
  );
  const text = publications.map(({ data }) => data.text).join('');
  await node.shutdown({ graceMs: 0 });
  return { bytes: reader.bytes, text, publications: publications.length };
}

interface Message {
  readonly subscribe?: { readonly publications?: readonly Publication[] };
  readonly push?: { readonly pub?: Publication };
}
interface Publication {
  readonly data: { readonly text: string };
}

/** A frame holds messages in lines; it may come in pieces. */
function messagesOf(pieces: readonly Buffer[]): Message[] {
  const messages: Message[] = [];
  let frame = '';
  for (const piece of pieces) {
    frame += piece.toString();
    if (!frame.endsWith('}') && !frame.endsWith('\n')) continue;
    try {
      messages.push(
        ...frame
          .trimEnd()
          .split('\n')
          .map(line => JSON.parse(line) as Message),
      );
      frame = '';
    } catch {
      // the next piece belongs to it
    }
  }
  return messages;
}

/** A late reader, where every token is in the history and where it is not. */
export async function compareJoiners(): Promise<void> {
  const early = { engine: await join(append, HISTORY), baseline: await join(publish, HISTORY) };
  console.log(
    `a reader that joins at token ${HISTORY}: ${early.engine.bytes} bytes, with publications ${early.baseline.bytes}, ` +
      `ratio ${(early.engine.bytes / early.baseline.bytes).toFixed(2)} over 1 round, wanted ≤ 0.2`,
  );
  const whole = TOKEN.repeat(2 * HISTORY);
  const late = { engine: await join(append, 2 * HISTORY), baseline: await join(publish, 2 * HISTORY) };
  if (late.engine.text !== whole) throw new Error('a late reader of an append stream has another text');
  console.log(
    `a reader that joins at token ${2 * HISTORY}: the whole text in ${late.engine.publications} publication; ` +
      `with publications ${late.baseline.text.length} of ${whole.length} characters in ${late.baseline.publications}`,
  );
}

/** Many readers that join on one state. */
export async function countJoiners(): Promise<void> {
  const node = await readersNode();
  const text = 'x'.repeat(JOINED_BYTES);
  await node.append('chat', { message: 'm', producer: 'p', seq: 1, ops: [{ text }] });
  const { encodePublication } = jsonCodec;
  let encoded = 0;
  const count: typeof encodePublication = (...publication) => {
    encoded++;
    return encodePublication.apply(jsonCodec, publication);
  };
  Object.assign(jsonCodec, { encodePublication: count });
  const begun = process.cpuUsage();
  const readers = Array.from({ length: JOINERS }, () => new CountedReader(node, true));
  while (readers.some(({ publications }) => publications === 0)) await turnEnd();
  const { user, system } = process.cpuUsage(begun);
  Object.assign(jsonCodec, { encodePublication });
  console.log(
    `${JOINERS} readers that join on one state, ${((user + system) / JOINERS).toFixed(1)} µs each: ` +
      `documents encoded, ratio ${encoded.toFixed(2)} over 1 round, wanted ≤ 1`,
  );
  await node.shutdown({ graceMs: 0 });
}

/** A reader without delta on a long text. */
export async function measureFullReader(): Promise<void> {
  const clock = new ManualClock();
  const node = await readersNode(100, WINDOW_MS, clock);
  const reader = new CountedReader(node, false);
  await clock.advance(TOKEN_MS);
  const said = [
    node.append('chat', {
      message: 'm',
      producer: 'p',
      seq: 1,
      ops: [{ text: 'x'.repeat(FULL_BYTES) }],
    }) as Promise<unknown>,
  ];
  await clock.advance(5000);
  const before = reader.bytes;
  for (let count = 2; count < 2 + (FULL_SECONDS * 1000) / TOKEN_MS; count++) {
    said.push(append(node, count));
    await clock.advance(TOKEN_MS);
  }
  const perSecond = (reader.bytes - before) / FULL_SECONDS / 1000;
  console.log(
    `a reader without delta at 256 KiB of text, kB a second: ratio ${perSecond.toFixed(1)} over ${FULL_SECONDS} s, wanted ≤ 300`,
  );
  await clock.advance(5000);
  await Promise.all(said);
  await node.shutdown({ graceMs: 0 });
}
