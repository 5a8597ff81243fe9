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
      answer: ({ items, next_cursor, total }) => ({ items, next_cursor, total }),
    },
    async (ask, stage) => {
      const bodies = await stage.parked(3);
      const { items } = await ask({ sink: SINK, limit: 0 });
      const { items: newest, total } = await ask({ sink: SINK, limit: 1 });
      return async () => {
        expect(items.map(({ body }) => body)).toEqual(bodies.toReversed());
        expect(newest).toEqual(items.slice(0, 1));
        expect(total).toBe(3);
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
  methodRow('DlqGet', { name: 'dlq get', line: identified }, async (ask, stage) => {
    const [body = ''] = await stage.parked(1);
    const { items } = await stage.client().call('DlqList', { sink: SINK });
    const { item } = await ask({ id: items[0]?.id ?? '' });
    return async () => {
      expect(item).toEqual(items[0]);
      expect([item?.body, item?.attempts]).toEqual([body, stage.sends(body)]);
      await stage.client().call('DlqDiscard', { id: item?.id ?? '' });
      expect((await stage.rpc('DlqGet', { id: item?.id })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
    };
  }),
  methodRow(
    'DlqGroups',
    {
      name: 'dlq groups',
      line: ({ sink = '' }) => [sink],
      answer: ({ groups }) => ({ groups }),
    },
    async (ask, stage) => {
      await stage.parked(3);
      const { groups } = await ask({ sink: SINK });
      return async () => {
        expect(groups).toMatchObject([{ count: 3, sample: expect.stringContaining('503') }]);
        const { items, total } = await stage.client().call('DlqList', {
          sink: SINK,
          group: groups[0]?.group ?? '',
          limit: 2,
        });
        expect([items.length, total]).toEqual([2, 3]);
      };
    },
  ),
  methodRow(
    'DlqRedrive',
    {
      name: 'dlq redrive',
      line: ({ sink = '', dry_run = false }) => [
        ...[sink, '--all', '--per-second', '1000', '--stop-after-failures', '3'],
        ...(dry_run ? ['--dry-run'] : []),
      ],
    },
    async (ask, stage) => {
      const bodies = await stage.parked(3);
      const request = { sink: SINK, all: true, per_second: 1000, stop_after_failures: 3 };
      const dry = await ask({ ...request, dry_run: true });
      const before = bodies.map(body => stage.sends(body));
      stage.hook.behaviour = { status: 200 };
      const { job } = await ask(request);
      return async () => {
        expect([dry.job, dry.matched, dry.samples.map(({ body }) => body).toSorted()]).toEqual([
          null,
          3,
          bodies.toSorted(),
        ]);
        expect(before).toEqual([2, 2, 2]);
        await eventually('the job ends', async () => {
          const { jobs } = await stage.client().call('DlqJobs', { job: job?.id ?? '' });
          return jobs[0]?.state === 'done' && jobs[0].sent === 3;
        });
        expect(bodies.map(body => stage.sends(body))).toEqual([3, 3, 3]);
        expect((await stage.client().call('DlqCount', { sink: SINK })).count).toBe(0);
      };
    },
  ),
  methodRow('DlqJobs', { name: 'dlq jobs', line: ({ job = '' }) => [job] }, async (ask, stage) => {
    await stage.parked(2);
    const { job } = await stage
      .client()
      .call('DlqRedrive', { sink: SINK, all: true, stop_after_failures: 2 });
    await eventually('the job ends', async () => {
      const { jobs } = await stage.client().call('DlqJobs', { job: job?.id ?? '' });
      return jobs[0]?.ended_at !== '';
    });
    const { jobs } = await ask({ job: job?.id ?? '' });
    return async () => {
      expect(jobs).toMatchObject([{ id: job?.id, state: 'tripped', sent: 0, parked: 2, matched: 2 }]);
      expect((await stage.client().call('DlqCount', { sink: SINK })).count).toBe(2);
    };
  }),
  methodRow(
    'DlqJobStop',
    { name: 'dlq stop', line: ({ job = '' }) => [job], answer: () => ({}) },
    async (ask, stage) => {
      const bodies = await stage.parked(3);
      stage.hook.behaviour = { status: 200 };
      const { job } = await stage.client().call('DlqRedrive', { sink: SINK, all: true, per_second: 0.1 });
      await ask({ job: job?.id ?? '' });
      return async () => {
        await eventually('the job ends', async () => {
          const { jobs } = await stage.client().call('DlqJobs', { job: job?.id ?? '' });
          return jobs[0]?.state === 'stopped';
        });
        const sent = bodies.filter(body => stage.sends(body) === 3).length;
        expect(sent).toBeLessThanOrEqual(1);
        expect((await stage.client().call('DlqCount', { sink: SINK })).count).toBe(3 - sent);
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
    'DlqReplay',
    {
      name: 'dlq replay',
      line: identified,
      answer: ({ outcome, attempts, last_error }) => ({ outcome, attempts, last_error }),
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
        expect(failed).toMatchObject({ outcome: 'parked', attempts: 4, last_error: after?.last_error });
        expect(after).toMatchObject({ id, attempts: 4 });
        expect(sends).toBe(4);
        expect(sent).toEqual({ outcome: 'sent', attempts: 5, last_error: '' });
        expect(stage.sends(body)).toBe(5);
        expect(await letters()).toEqual([]);
        expect((await stage.rpc('DlqReplay', { id })).code).toBe('MSG_SINK_DLQ_NOT_FOUND');
      };
    },
  ),
];
