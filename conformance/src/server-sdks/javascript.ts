import { deepEqual, equal, ok, rejects } from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { CentClient, CentException } from 'cent.js';
import type { TestResult } from '../suites/suite.ts';
import { type ApiTarget, type Case, runCases, type ServerSdk } from './sdk.ts';

const { version } = createRequire(import.meta.url)('cent.js/package.json') as { version: string };

const NOBODY = { user: 'nobody' };

function publishing(client: CentClient, channel: string): Case[] {
  const data = { text: 'grüße </b>' };
  return [
    [
      'publish and getHistory',
      async () => {
        const { offset, epoch } = await client.publish({ channel, data, tags: { kind: 'a' } });
        ok(offset === 1 && epoch !== '');
        const history = await client.getHistory({ channel, limit: 10 });
        equal(history.epoch, epoch);
        deepEqual(history.publications, [{ data, offset: 1, tags: { kind: 'a' } }]);
      },
    ],
    [
      'publish with skip_history',
      async () => deepEqual(await client.publish({ channel, data, skip_history: true }), {}),
    ],
    [
      'getHistory since a position, and in reverse',
      async () => {
        const { epoch } = await client.publish({ channel, data: { n: 2 } });
        const since = { offset: 1, epoch: epoch ?? '' };
        const later = await client.getHistory({ channel, since, limit: 10 });
        deepEqual(later.publications, [{ data: { n: 2 }, offset: 2 }]);
        const reverse = await client.getHistory({ channel, limit: 1, reverse: true });
        deepEqual(reverse.publications, [{ data: { n: 2 }, offset: 2 }]);
      },
    ],
    [
      'removeHistory',
      async () => {
        deepEqual(await client.removeHistory({ channel }), {});
        const { publications, offset } = await client.getHistory({ channel, limit: 10 });
        deepEqual([publications, offset], [[], 2]);
      },
    ],
    [
      'broadcast',
      async () => {
        const answer: unknown = await client.broadcast({ channels: [`${channel}1`, `${channel}2`], data });
        const { responses } = answer as { responses: { result: { offset: number } }[] }; // its types say a list
        deepEqual(
          responses.map(({ result }) => result.offset),
          [1, 1],
        );
      },
    ],
    [
      'an unknown channel',
      () => rejects(client.publish({ channel: 'unknown:channel', data }), CentException),
    ],
  ];
}

function reading(client: CentClient, channel: string): Case[] {
  return [
    ['getPresence', async () => deepEqual(await client.getPresence({ channel }), { presence: {} })],
    [
      'getPresenceStats',
      async () => deepEqual(await client.getPresenceStats({ channel }), { num_clients: 0, num_users: 0 }),
    ],
    ['getChannels', async () => deepEqual(await client.getChannels({ pattern: '*' }), { channels: {} })],
    [
      'getInfo',
      async () => {
        const { nodes } = await client.getInfo({});
        ok(nodes.length >= 1 && nodes.every(({ uid, num_clients }) => uid !== '' && num_clients === 0));
      },
    ],
  ];
}

function connections(client: CentClient, channel: string): Case[] {
  return [
    ['subscribe', async () => deepEqual(await client.subscribe({ ...NOBODY, channel }), {})],
    ['unsubscribe', async () => deepEqual(await client.unsubscribe({ ...NOBODY, channel }), {})],
    ['disconnect', async () => deepEqual(await client.disconnect(NOBODY), {})],
    ['refresh', async () => deepEqual(await client.refresh(NOBODY), {})],
  ];
}

function pipelines(client: CentClient, channel: string): Case[] {
  const publish = (n: number) => ({ method: 'publish', params: { channel, data: { n } } }) as never; // its types name an enumeration that it does not export
  return [
    [
      'pipeline',
      async () => {
        const answers: unknown = await client.pipeline([publish(1), publish(2)]);
        deepEqual(
          (answers as { offset: number }[]).map(({ offset }) => offset),
          [1, 2],
        );
      },
    ],
    ['pipeline of one', async () => equal(((await client.pipeline([publish(3)])) as unknown[]).length, 1)],
  ];
}

/** The published client of JavaScript, every method of it. */
export const JAVASCRIPT: ServerSdk = {
  name: 'javascript',
  title: `JavaScript cent.js ${version}`,
  how: 'the published package',
  leftOut: '',
  missing: () => undefined,
  prepare: async () => {},
  async run({ url, key }: ApiTarget): Promise<readonly TestResult[]> {
    const client = new CentClient({ url, apiKey: key });
    const name = (): string => `js-${randomUUID()}`;
    const stranger = new CentClient({ url, apiKey: 'wrong' });
    return runCases([
      ...publishing(client, name()),
      ...reading(client, name()),
      ...connections(client, name()),
      ...pipelines(client, name()),
      ['a wrong key', () => rejects(stranger.getInfo({}))],
    ]);
  },
};
