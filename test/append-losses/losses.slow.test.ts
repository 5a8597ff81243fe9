// What readers see when the store loses what was acknowledged, and in which order (append streams 6.4).
import { appendStream, createRpcClient } from '@msg/core';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { CHANNEL } from '../../packages/server/test/blackbox/cluster/appends/configuration.ts';
import { Continuity, disorderOf, type Step } from './continuity.ts';
import { LOSSES, type Stage } from './losses.ts';

const TEST_MS = 180_000;
const TOKENS = 20;

let stage: Stage | null = null;
const readers: Continuity[] = [];

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await stage?.stop();
  stage = null;
}, TEST_MS);

const words = (word: string): readonly string[] => Array.from({ length: TOKENS }, (_, n) => `<${word} ${n}>`);

/** Everything up to the first text. */
function beforeText(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex(({ kind }) => kind === 'text');
  return steps.slice(0, first < 0 ? undefined : first);
}

describe('lost, subscribed anew, the state that there is, growth: so every reader sees it when', () => {
  it.each(LOSSES)(
    '$name',
    async ({ keeps, stage: start }) => {
      stage = await start();
      const { nodes } = stage;
      const server = nodes.map(({ url }) => url);
      const rpc = createRpcClient({ server, token: nodes[0]?.token ?? '', fetch });
      const documentNow = async (): Promise<string> => {
        const { document } = await rpc.call('AppendState', { name: CHANNEL, with_document: true });
        return JSON.parse(Buffer.from(document ?? []).toString()).text;
      };
      readers.push(
        ...nodes.flatMap(({ websocketUrl }) =>
          [true, false].map(delta => new Continuity(websocketUrl, CHANNEL, delta)),
        ),
      );
      await Promise.all(readers.map(reader => reader.ready()));
      const stream = await appendStream(rpc, CHANNEL, { message: 'm' });
      let written = '';
      const write = async (word: string): Promise<void> => {
        for (const token of words(word)) {
          written += token;
          await stream.write(token);
        }
        const text = written;
        await eventually('every reader has it', () => readers.every(reader => reader.text === text));
      };
      await write('kept');
      const kept = written;
      await stage.keep(kept);
      await write('lost');
      const marks = readers.map(({ steps }) => steps.length);
      const since = (reader: Continuity): readonly Step[] =>
        reader.steps.slice(marks[readers.indexOf(reader)]);
      await stage.lose();
      if (keeps) {
        // The producer is silent: what readers see now is what the store has.
        await eventually('every reader has what was kept', () => readers.every(({ text }) => text === kept));
        expect(await documentNow()).toBe(kept);
        // The helper holds the shorter text back.
        for (const reader of readers) expect(reader.added).toBe(written);
      }
      await write('grown');
      for (const reader of readers) {
        const [first, ...others] = beforeText(since(reader));
        expect(first?.kind).toBe('lost');
        expect(others.at(-1)).toEqual({ kind: 'subscribed', recovered: false });
      }
      await stream.complete();
      await eventually('every reader has the end', () =>
        readers.every(({ status }) => status === 'complete'),
      );
      for (const reader of readers) {
        expect(disorderOf(reader.steps, written)).toEqual([]);
        expect([reader.text, reader.added, reader.resets]).toEqual([written, written, 0]);
      }
    },
    TEST_MS,
  );
});
