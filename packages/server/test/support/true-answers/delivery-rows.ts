import { payloadBytes } from '@msg/core/internal';
import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { scrape } from '../scrape.ts';
import { type MethodRow, methodRow } from './row.ts';
import { SINK } from './stage.ts';

const identified = ({ id = '' }) => [id];

/** Publications that may go elsewhere, and dead letters. */
export const deliveryRows: readonly MethodRow[] = [
  methodRow(
    'PublishOrSink',
    {
      name: 'publish-or-sink',
      line: ({ name = '', data, sink = '', message }) => [
        name,
        '--data',
        Buffer.from(payloadBytes(data)).toString(),
        '--sink',
        sink,
        '--body',
        message?.body ?? '',
      ],
    },
    async (ask, stage) => {
      const [name, data] = [await stage.opened(), Buffer.from('"live"')];
      await stage.parked(0);
      const send = (body: string) => ask({ name, data, sink: SINK, message: { body } });
      const texts = ['sent', 'parked', 'published'].map(outcome => `${outcome} ${name}`);
      const [toSink = '', toLetters = '', toChannel = ''] = texts;
      stage.hook.behaviour = { status: 200 };
      const sent = await send(toSink);
      stage.hook.behaviour = { status: 503 };
      const parked = await send(toLetters);
      const listener = await stage.listener(name);
      const published = await send(toChannel);
      return async () => {
        expect(sent).toMatchObject({ outcome: 'sent', delivered: true, via: 'sink' });
        expect(parked).toMatchObject({ outcome: 'parked', delivered: true, via: 'dlq' });
        expect(published).toMatchObject({ outcome: 'published', delivered: false, via: 'channel' });
        await eventually('the publication arrives', () => listener.publications.length === 1);
        expect(listener.publications[0]).toMatchObject({ data: 'live', offset: published.offset });
        expect(await listener.epoch()).toBe(published.epoch);
        expect(texts.map(body => stage.sends(body))).toEqual([1, 2, 0]);
        const { items } = await stage.client().call('DlqList', {});
        expect(items.map(({ body, channel }) => ({ body, channel }))).toEqual([
          { body: toLetters, channel: name },
        ]);
      };
    },
  ),
  methodRow(
    'DlqList',
    {
      name: 'dlq list',
      line: ({ sink = '', limit = 0 }) => [sink, '--limit', String(limit)],
      answer: ({ items }) => ({ items }),
    },
    async (ask, stage) => {
      const bodies = await stage.parked(3);
      const { items } = await ask({ sink: SINK, limit: 0 });
      const { items: newest } = await ask({ sink: SINK, limit: 1 });
      return async () => {
        expect(items.map(({ body }) => body)).toEqual(bodies.toReversed());
        expect(newest).toEqual(items.slice(0, 1));
        for (const { id, body, attempts, last_error } of items) {
          expect(stage.sends(body)).toBe(attempts);
          expect(last_error).toContain('503');
          stage.hook.behaviour = { status: 200 };
          await stage.client().call('DlqReplay', { id });
          expect(stage.sends(body)).toBe(attempts + 1);
        }
      };
    },
  ),
  methodRow(
    'DlqCount',
    { name: 'dlq count', line: ({ sink = '' }) => [sink], answer: ({ count }) => ({ count }) },
    async (ask, stage) => {
      await stage.parked(2);
      const { count } = await ask({ sink: SINK });
      return async () => {
        expect(count).toBe(2);
        expect((await scrape(stage.server.url)).value('msg_dlq_size', { sink: SINK })).toBe(count);
        const { items } = await stage.client().call('DlqList', { sink: SINK });
        expect(items).toHaveLength(count);
      };
    },
  ),
  methodRow(
    'DlqDiscard',
    { name: 'dlq discard', line: identified, answer: () => ({}) },
    async (ask, stage) => {
      const [body = '', kept] = await stage.parked(2);
      const { items } = await stage.client().call('DlqList', {});
      const id = items.find(item => item.body === body)?.id ?? '';
      await ask({ id });
      return async () => {
        stage.hook.behaviour = { status: 200 };
        expect((await stage.rpc('DlqReplay', { id })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
        expect(stage.sends(body)).toBe(2);
        const { items: left } = await stage.client().call('DlqList', {});
        expect(left.map(item => item.body)).toEqual([kept]);
      };
    },
  ),
  methodRow(
    'DlqReplay',
    {
      name: 'dlq replay',
      line: identified,
      answer: ({ outcome }) => ({ outcome }),
      exit: ({ outcome }) => (outcome === 'parked' ? 1 : 0),
    },
    async (ask, stage) => {
      const [body = ''] = await stage.parked(1);
      const letters = async () => (await stage.client().call('DlqList', {})).items;
      const [letter] = await letters();
      const id = letter?.id ?? '';
      const failed = await ask({ id });
      const [after] = await letters();
      const sends = stage.sends(body);
      stage.hook.behaviour = { status: 200 };
      const sent = await ask({ id });
      return async () => {
        expect(failed.outcome).toBe('parked');
        expect(after).toMatchObject({ id, attempts: 4 });
        expect(sends).toBe(4);
        expect(sent.outcome).toBe('sent');
        expect(stage.sends(body)).toBe(5);
        expect(await letters()).toEqual([]);
        expect((await stage.rpc('DlqReplay', { id })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
      };
    },
  ),
];
