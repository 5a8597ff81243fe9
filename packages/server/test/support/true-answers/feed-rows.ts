import { eventually } from '@msg/testkit';
import { expect } from 'vitest';
import { type MethodRow, methodRow } from './row.ts';
import type { Stage } from './stage.ts';

interface Told {
  readonly topic: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** What is told in a feed to a listener with its token. */
async function heard(stage: Stage, { channel, access_token }: { channel: string; access_token: string }) {
  const listener = await stage.listener(channel, access_token);
  return {
    told: (): readonly Told[] => listener.publications.map(({ data }) => data as Told),
    ended: listener.ended,
    leave: () => listener.leave(),
  };
}

const ofFeed = ({ feed = '' }) => [feed];

/** Live feeds, and tails in them. */
export const feedRows: readonly MethodRow[] = [
  methodRow('OpenFeed', { name: 'feeds open', line: ({ topics = [] }) => topics }, async (ask, stage) => {
    const feed = await ask({ topics: ['stats'] });
    const { told, leave } = await heard(stage, feed);
    return async () => {
      await eventually('numbers', () => told().some(({ topic }) => topic === 'stats'));
      expect(told()[0]?.data['nodes']).toHaveLength(1);
      leave();
      await stage.client().call('CloseFeed', { feed: feed.feed });
    };
  }),
  methodRow('RenewFeed', { name: 'feeds renew', line: ofFeed }, async (ask, stage) => {
    const first = await stage.client().call('OpenFeed', {});
    const next = await ask({ feed: first.feed });
    const { leave } = await heard(stage, next);
    return async () => {
      expect(next.channel).toBe(first.channel);
      expect(next.access_expires_unix).toBeGreaterThanOrEqual(first.access_expires_unix);
      leave();
      await stage.client().call('CloseFeed', { feed: first.feed });
    };
  }),
  methodRow('CloseFeed', { name: 'feeds close', line: ofFeed, answer: () => ({}) }, async (ask, stage) => {
    const feed = await stage.client().call('OpenFeed', {});
    const { ended } = await heard(stage, feed);
    await ask({ feed: feed.feed });
    return async () => expect(await ended).toBe(2000);
  }),
  methodRow(
    'StartTail',
    { name: 'feeds tail', line: ({ feed = '', name = '' }) => [feed, name] },
    async (ask, stage) => {
      const name = await stage.opened();
      const feed = await stage.client().call('OpenFeed', {});
      const { told, leave } = await heard(stage, feed);
      const started = await ask({ feed: feed.feed, name });
      const { offset } = await stage.client().call('Publish', { name, json: { n: 1 } });
      return async () => {
        expect(started.offset).toBe(offset - 1);
        await eventually('the publication', () =>
          told().some(({ data }) => data['tail'] === started.tail && data['to_offset'] === offset),
        );
        expect((await stage.client().call('Presence', { name })).subscribers).toBe(0);
        leave();
        await stage.client().call('CloseFeed', { feed: feed.feed });
      };
    },
  ),
  methodRow(
    'StopTail',
    { name: 'feeds untail', line: ({ feed = '', tail = '' }) => [feed, tail], answer: () => ({}) },
    async (ask, stage) => {
      const name = await stage.opened();
      const feed = await stage.client().call('OpenFeed', {});
      const { told, leave } = await heard(stage, feed);
      const { tail } = await stage.client().call('StartTail', { feed: feed.feed, name });
      await ask({ feed: feed.feed, tail });
      return async () => {
        await eventually('its end', () => told().some(({ data }) => data['ended'] === 'stopped'));
        const { code } = await stage.rpc('StopTail', { feed: feed.feed, tail });
        expect(code).toBe('MSG_INVALID_ARGUMENT');
        leave();
        await stage.client().call('CloseFeed', { feed: feed.feed });
      };
    },
  ),
];
