import { deepEqual, ok } from 'node:assert/strict';

/** What a client read of an answer: one JSON value. */
// biome-ignore lint/suspicious/noExplicitAny: of any shape; the checks say which
export type Answer = any;

/** One call that an SDK makes, and what must be in the answer. */
export interface Exchange {
  readonly name: string;
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
  /** Throws for another answer; `earlier` are those of the calls before. */
  check(answer: Answer, earlier: ReadonlyMap<string, Answer>): void;
}

const NOBODY = { user: 'nobody', client: 'x' };
/** What escapes differently in each language: the subscribers and the history must have it as it was. */
const DATA = { text: 'grüße / <b> & "you"', list: [1, 2.5], nested: { empty: {} } };

const isEmpty = (answer: Answer): void => deepEqual(answer, { result: {} });
const isError =
  (code: number, message: string) =>
  (answer: Answer): void =>
    deepEqual(answer, { error: { code, message } });

function publishing(channel: string): Exchange[] {
  const isPosition = ({ result }: Answer): void => ok(result.offset >= 1 && result.epoch !== '');
  return [
    { name: 'publish', method: 'publish', params: { channel, data: DATA }, check: isPosition },
    {
      name: 'publish with extras',
      method: 'publish',
      params: { channel, data: DATA, tags: { kind: 'a' }, idempotency_key: `${channel}-key` },
      check: isPosition,
    },
    {
      name: 'publish again with its idempotency key',
      method: 'publish',
      params: { channel, data: DATA, tags: { kind: 'a' }, idempotency_key: `${channel}-key` },
      check: (answer, earlier) => deepEqual(answer, earlier.get('publish with extras')),
    },
    {
      name: 'history',
      method: 'history',
      params: { channel, limit: 10 },
      check({ result }) {
        deepEqual(result.publications, [
          { offset: 1, data: DATA },
          { offset: 2, data: DATA, tags: { kind: 'a' } },
        ]);
      },
    },
    {
      name: 'history_remove',
      method: 'history_remove',
      params: { channel },
      check: isEmpty,
    },
    {
      name: 'history of nothing',
      method: 'history',
      params: { channel, limit: 10 },
      check: ({ result }) => deepEqual([result.publications, result.offset], [[], 2]),
    },
    {
      name: 'broadcast',
      method: 'broadcast',
      params: { channels: [`${channel}-1`, `${channel}-2`], data: DATA },
      check({ result }) {
        deepEqual(
          result.responses.map((response: Answer) => response.result.offset),
          [1, 1],
        );
      },
    },
  ];
}

function others(channel: string): Exchange[] {
  return [
    {
      name: 'presence',
      method: 'presence',
      params: { channel },
      check: answer => deepEqual(answer, { result: { presence: {} } }),
    },
    {
      name: 'presence_stats',
      method: 'presence_stats',
      params: { channel },
      check: answer => deepEqual(answer, { result: { num_clients: 0, num_users: 0 } }),
    },
    { name: 'subscribe', method: 'subscribe', params: { ...NOBODY, channel }, check: isEmpty },
    { name: 'unsubscribe', method: 'unsubscribe', params: { ...NOBODY, channel }, check: isEmpty },
    {
      name: 'disconnect',
      method: 'disconnect',
      params: { ...NOBODY, disconnect: { code: 4000, reason: 'reason' } },
      check: isEmpty,
    },
    { name: 'refresh', method: 'refresh', params: { ...NOBODY, expire_at: 1 }, check: isEmpty },
    {
      name: 'channels',
      method: 'channels',
      params: { pattern: '*' },
      check: answer => deepEqual(answer, { result: { channels: {} } }),
    },
    {
      name: 'info',
      method: 'info',
      params: {},
      check({ result: { nodes } }) {
        ok(Array.isArray(nodes) && nodes.length > 0);
        for (const { uid, name, version } of nodes) ok(uid && name && version);
      },
    },
    {
      name: 'a channel of an unknown namespace',
      method: 'publish',
      params: { channel: 'namespace:channel', data: {} },
      check: isError(102, 'unknown channel'),
    },
    {
      name: 'a publish without a payload',
      method: 'publish',
      params: { channel },
      check: isError(107, 'bad request'),
    },
  ];
}

/** The command of a batch that fails beside those that do not. */
export function batch(channel: string): Exchange {
  return {
    name: 'batch',
    method: 'batch',
    params: {
      commands: [
        { publish: { channel, data: DATA } },
        { publish: { channel: 'namespace:channel', data: DATA } },
        { presence_stats: { channel } },
      ],
      parallel: false,
    },
    check({ replies: [published, failed, stats], ...rest }) {
      ok(published.publish.offset >= 1);
      isError(102, 'unknown channel')(failed);
      deepEqual([stats, rest], [{ presence_stats: { num_clients: 0, num_users: 0 } }, {}]);
    },
  };
}

/** What every SDK calls. @param channel a name of this run */
export const exchanges = (channel: string): Exchange[] => [...publishing(channel), ...others(channel)];
