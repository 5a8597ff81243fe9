import { setTimeout as pause } from 'node:timers/promises';
import { appendStream, createRpcClient } from '@msg/core';
import { eventually } from '@msg/testkit';
import { afterEach, describe, expect, it } from 'vitest';
import { type ClusterNode, startNodes } from '../../../support/cluster.ts';
import { temporaryFolder } from '../../../support/folders.ts';
import { appendingArguments, CHANNEL } from './configuration.ts';
import { FAULTS, type Stage } from './faults.ts';
import { Reader } from './readers.ts';

const TEST_MS = 180_000;
const SETTLED_MS = 90_000;
/** After the end of a fault the text goes on for every reader within this time. */
const RECOVERY_MS = 10_000;
/** Tokens before the fault begins, and those after its end. */
const BEFORE = 60;
const AFTER = 120;
const TOKEN_MS = 5;

let stage: Stage | null = null;
let nodes: ClusterNode[] = [];
const readers: Reader[] = [];

afterEach(async () => {
  for (const reader of readers.splice(0)) reader.close();
  await Promise.all(nodes.splice(0).map(node => node.stop()));
  await stage?.stop();
  stage = null;
}, TEST_MS);

describe('a message that grows on two nodes is whole for every reader when', () => {
  it.each(FAULTS)(
    '$name',
    async fault => {
      stage = await fault.stage();
      nodes = await startNodes(2, stage.address, 'grow', {
        args: await appendingArguments(await temporaryFolder()),
      });
      const [first, second] = nodes as [ClusterNode, ClusterNode];
      let written = '';
      const read = async (urls: readonly string[], delta: boolean): Promise<void> => {
        const reader = new Reader(urls, CHANNEL, delta, () => written);
        readers.push(reader);
        await reader.ready();
      };
      const urls = nodes.map(({ websocketUrl }) => websocketUrl);
      await read(urls, true);
      await read(urls.toReversed(), true);
      await read(urls.toReversed(), false);
      const rpc = createRpcClient({ server: [first.url, second.url], token: first.token, fetch });
      const stream = await appendStream(rpc, CHANNEL, { message: 'm' });
      let isBroken = true;
      let writtenInFault = 0;
      let recovery = Promise.resolve();
      const strike = async (): Promise<void> => {
        await stage?.strike(nodes, CHANNEL);
        isBroken = false;
        writtenInFault = written.length;
        recovery = eventually(
          'the text goes on for every reader',
          () => readers.every(({ newest }) => (newest?.text.length ?? 0) > writtenInFault),
          RECOVERY_MS,
        );
        recovery.catch(() => {}); // the end of the test has the error
      };
      let struck: Promise<void> | null = null;
      for (let n = 0, left = AFTER; left > 0; n++) {
        if (n === BEFORE) struck = strike();
        const token = `<${n}>`;
        written += token;
        await stream.write(token);
        await pause(TOKEN_MS);
        if (!isBroken) left--;
      }
      await struck;
      await recovery;
      // Who had to subscribe anew without recovery gets the text while it is open, and only the history after that.
      const hasText = ({ newest }: Reader): boolean => newest?.text === written;
      await eventually('every reader has the text', () => readers.every(hasText), SETTLED_MS);
      const result = await stream.complete();
      expect(result.status).toBe('complete');
      const isWhole = ({ newest }: Reader): boolean =>
        newest?.status === 'complete' && newest.text === written;
      await eventually('every reader has the whole text', () => readers.every(isWhole), SETTLED_MS);
      // Also who comes after the end.
      await read([second.websocketUrl, first.websocketUrl], false);
      expect(readers.flatMap(({ faults }) => faults)).toEqual([]);
    },
    TEST_MS,
  );
});
