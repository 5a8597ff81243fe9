import type { HistoryOptions, HistoryResult } from 'centrifuge';
import { describe, expect, it } from 'vitest';
import { decodePublication } from './stock-client.ts';
import { STOCK, toPayload } from './stock-clients.ts';
import { serve } from './stock-server.ts';

const CHANNEL = 'log';

describe.concurrent.each(STOCK)('history, $name', stock => {
  const offsets = ({ publications }: HistoryResult): number[] =>
    publications.map(({ offset }) => Number(offset));

  it.for<[string, HistoryOptions, number[]]>([
    ['the position only without a limit', {}, []],
    ['the oldest first', { limit: 3 }, [1, 2, 3]],
    ['everything for a negative limit', { limit: -1 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['what there is for a limit beyond it', { limit: 99 }, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ['the newest first in reverse', { limit: 3, reverse: true }, [10, 9, 8]],
    ['what comes after since', { limit: 2, since: { offset: 4, epoch: '' } }, [5, 6]],
    [
      'what lies before since in reverse',
      { limit: 2, since: { offset: 4, epoch: '' }, reverse: true },
      [3, 2],
    ],
    ['nothing after the top', { limit: 5, since: { offset: 10, epoch: '' } }, []],
    ['nothing before the first', { limit: 5, since: { offset: 1, epoch: '' }, reverse: true }, []],
  ])('answers %s, always with the top of the stream', async ([_name, options, expected], test) => {
    const server = await serve(test, stock);
    await server.publishRange(CHANNEL, 1, 10);
    const client = await server.connected();
    const subscription = await client.subscribed(CHANNEL);
    const result = await subscription.centrifuge.history(options);
    expect(offsets(result)).toEqual(expected);
    expect({ epoch: result.epoch, offset: Number(result.offset) }).toEqual(await server.position(CHANNEL));
    const byClient = await client.centrifuge.history(CHANNEL, options);
    expect(offsets(byClient)).toEqual(expected);
  });

  it('walks the whole stream page by page, both ways', async test => {
    const server = await serve(test, stock);
    await server.publishRange(CHANNEL, 1, 25);
    const { centrifuge } = await server.connected();
    for (const reverse of [false, true]) {
      const seen: number[] = [];
      const top = await centrifuge.history(CHANNEL, { limit: 0 });
      let page = await centrifuge.history(CHANNEL, { limit: 10, reverse });
      while (page.publications.length > 0) {
        seen.push(...offsets(page));
        const since = { offset: seen.at(-1) ?? 0, epoch: top.epoch };
        page = await centrifuge.history(CHANNEL, { limit: 10, reverse, since });
      }
      expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 25 }, (_, i) => i + 1));
    }
  });

  it('returns payload, info and tags, never as deltas', async test => {
    const server = await serve(test, stock, {
      policy: {
        connect: () => ({ user: 'ann' }),
        subscribe: () => ({ recovery: 'stream', delta: true }),
        publish: (_client, event, forward) => forward(event, { tags: new Map([['k', 'v']]), delta: true }),
      },
    });
    const client = await server.connected();
    const subscription = await client.subscribed(CHANNEL, { delta: 'fossil' });
    const values = [1, 2].map(n => ({ n, text: 'größer als nichts, lang genug für einen Patch' }));
    for (const value of values) await subscription.centrifuge.publish(toPayload(stock, value));
    const { publications } = await subscription.centrifuge.history({ limit: 10 });
    expect(publications.map(publication => decodePublication(stock, publication))).toMatchObject(
      values.map(data => ({ data, info: { user: 'ann', client: client.id }, tags: { k: 'v' } })),
    );
  });

  it('starts at the oldest retained when since lies before it', async test => {
    const server = await serve(test, stock, {
      policy: { streamOptions: () => ({ size: 3, ttlMs: 60_000 }) },
    });
    await server.publishRange(CHANNEL, 1, 10);
    const { centrifuge } = await server.connected();
    const since = { offset: 2, epoch: (await server.position(CHANNEL)).epoch };
    expect(offsets(await centrifuge.history(CHANNEL, { limit: 10, since }))).toEqual([8, 9, 10]);
  });

  it('returns at most what the server allows', async test => {
    const server = await serve(test, stock, { limits: { historyItems: 4 } });
    await server.publishRange(CHANNEL, 1, 10);
    const { centrifuge } = await server.connected();
    for (const limit of [-1, 8]) {
      expect(offsets(await centrifuge.history(CHANNEL, { limit }))).toEqual([1, 2, 3, 4]);
    }
  });

  it('creates the stream of a channel that was never used', async test => {
    const server = await serve(test, stock);
    const { centrifuge } = await server.connected();
    const first = await centrifuge.history('fresh', { limit: 1 });
    expect(first).toMatchObject({ publications: [], epoch: expect.stringMatching(/^[A-Za-z]{8}$/) });
    expect((await centrifuge.history('fresh', { limit: 1 })).epoch).toBe(first.epoch);
  });

  it('rejects another epoch with 112 and a reverse read from offset 0 with 107', async test => {
    const server = await serve(test, stock);
    await server.publishRange(CHANNEL, 1, 3);
    const { epoch } = await server.position(CHANNEL);
    const { centrifuge } = await server.connected();
    const foreign = centrifuge.history(CHANNEL, { limit: 1, since: { offset: 1, epoch: 'other' } });
    await expect(foreign).rejects.toMatchObject({ code: 112, message: 'unrecoverable position' });
    const before = centrifuge.history(CHANNEL, { limit: 1, since: { offset: 0, epoch }, reverse: true });
    await expect(before).rejects.toMatchObject({ code: 107 });
  });

  it('keeps position and epoch when the retained items are dropped', async test => {
    const server = await serve(test, stock);
    await server.publishRange(CHANNEL, 1, 3);
    const before = await server.position(CHANNEL);
    await server.node.removeHistory(CHANNEL);
    const { centrifuge } = await server.connected();
    const { publications, epoch, offset } = await centrifuge.history(CHANNEL, { limit: -1 });
    expect(publications).toEqual([]);
    expect({ epoch, offset: Number(offset) }).toEqual(before);
  });
});
