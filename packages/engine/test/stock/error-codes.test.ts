import { ReplyError } from '@msg/engine';
import { ERROR_CODES } from '@msg/protocol';
import { describe, expect, it, vi } from 'vitest';
import { tokens } from './expiring.ts';
import { STOCK } from './stock-clients.ts';
import { serve } from './stock-server.ts';

// Cases wait, most of the time.
vi.setConfig({ maxConcurrency: 14 });

/** What a client does about an error (client protocol 9.1). */
type Reaction = 'retries' | 'fetches a token and retries' | 'gives up';

const TABLE: readonly [code: number, message: string, temporary: boolean, reaction: Reaction][] = [
  [100, 'internal server error', true, 'retries'],
  [101, 'unauthorized', false, 'gives up'],
  [102, 'unknown channel', false, 'gives up'],
  [103, 'permission denied', false, 'gives up'],
  [104, 'method not found', false, 'gives up'],
  [105, 'already subscribed', false, 'gives up'],
  [106, 'limit exceeded', false, 'gives up'],
  [107, 'bad request', false, 'gives up'],
  [108, 'not available', false, 'gives up'],
  [109, 'token expired', false, 'fetches a token and retries'],
  [110, 'expired', false, 'gives up'],
  [111, 'too many requests', true, 'retries'],
  [112, 'unrecoverable position', false, 'gives up'],
  [113, 'concurrent pagination', true, 'retries'],
  [400, 'first of the application', false, 'gives up'],
  [1999, 'last of the application', false, 'gives up'],
  [1000, 'passing trouble of the application', true, 'retries'],
];

it('the table names every error code of the protocol', () => {
  const own = TABLE.filter(([code]) => code < 400).map(([code]) => code);
  expect(own).toEqual(ERROR_CODES.map(({ code }) => code));
});

describe.concurrent.each(STOCK)('error codes, $name', stock => {
  it.for(TABLE)('connect refused with %d %s, temporary %s: the client %s', async (row, test) => {
    const [code, message, temporary, reaction] = row;
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        connect: ({ token }) => {
          if (seen.push(token) === 1) throw new ReplyError(code, message, temporary);
          return { user: '' };
        },
      },
    });
    const client = server.client({ token: 'first', getToken: tokens('fresh') });
    client.centrifuge.connect();
    if (reaction === 'gives up') {
      expect(await client.events.next('disconnected')).toEqual({ code, reason: message });
      expect(seen).toEqual(['first']);
      return;
    }
    await client.events.next('connected');
    expect(await client.events.next('error')).toMatchObject({ type: 'connect', error: { code, message } });
    expect(seen).toEqual(['first', reaction === 'retries' ? 'first' : 'fresh-1']);
  });

  it.for(TABLE)('subscribe refused with %d %s, temporary %s: the client %s', async (row, test) => {
    const [code, message, temporary, reaction] = row;
    const seen: string[] = [];
    const server = await serve(test, stock, {
      policy: {
        subscribe: (_client, { token }) => {
          if (seen.push(token) === 1) throw new ReplyError(code, message, temporary);
          return { recovery: 'stream' };
        },
      },
    });
    const client = await server.connected();
    const subscription = client.subscribe('news', { token: 'first', getToken: tokens('fresh') });
    if (reaction === 'gives up') {
      const context = await subscription.events.next('unsubscribed');
      expect(context).toEqual({ channel: 'news', code, reason: message });
      expect(seen).toEqual(['first']);
      expect(server.node.stats().subscriptions).toBe(0);
      return;
    }
    await subscription.events.next('subscribed');
    expect(await subscription.events.next('error')).toMatchObject({
      type: 'subscribe',
      error: { code, message },
    });
    expect(seen).toEqual(['first', reaction === 'retries' ? 'first' : 'fresh-1']);
    expect(client.events.all('connecting')).toHaveLength(1);
  });

  it('an expired token at connect without a way to get another one ends the client', async test => {
    const server = await serve(test, stock, {
      policy: {
        connect: () => {
          throw new ReplyError(109, 'token expired');
        },
      },
    });
    const client = server.client({ token: 'old' });
    client.centrifuge.connect();
    expect(await client.events.next('disconnected')).toEqual({ code: 1, reason: 'unauthorized' });
  });

  it('the engine itself refuses a connect whose credentials are over with 110', async test => {
    const server = await serve(test, stock, {
      policy: { connect: () => ({ user: '', expiry: { at: Date.now(), clientRefresh: true } }) },
    });
    const client = server.client();
    client.centrifuge.connect();
    expect(await client.events.next('disconnected')).toEqual({ code: 110, reason: 'expired' });
  });

  it('the engine itself refuses subscribes with 106, 107, 108 and 110, and breaking hooks with 100', async test => {
    let broken = true;
    const server = await serve(test, stock, {
      limits: { channelsPerClient: 1 },
      policy: {
        subscribe: (_client, { channel }) => {
          if (channel === 'expired') return { expiry: { at: Date.now(), clientRefresh: true } };
          if (broken) {
            broken = false;
            throw new Error('database gone');
          }
          return {};
        },
      },
    });
    const client = await server.connected();
    const refusal = (channel: string) => client.subscribe(channel).events.next('unsubscribed');
    expect(await refusal('expired')).toMatchObject({ code: 110, reason: 'expired' });
    expect(await refusal('x'.repeat(256))).toMatchObject({ code: 107 });
    const unusual = client.centrifuge.newMapSubscription('map');
    const mapRefused = new Promise(resolve => unusual.on('unsubscribed', resolve));
    unusual.subscribe();
    expect(await mapRefused).toMatchObject({ code: 108, reason: 'not available' });
    const retried = await client.subscribed('one');
    expect(retried.events.all('error')).toMatchObject([
      { error: { code: 100, message: 'internal server error' } },
    ]);
    expect(server.errors.splice(0)).toMatchObject([{ message: 'database gone' }]);
    expect(await refusal('two')).toMatchObject({ code: 106 });
  });

  it('a server without subscribe refuses with 108', async test => {
    const server = await serve(test, stock, { without: ['subscribe'] });
    const client = await server.connected();
    const context = await client.subscribe('news').events.next('unsubscribed');
    expect(context).toEqual({ channel: 'news', code: 108, reason: 'not available' });
  });

  it('a channel that closes while the subscribe is under way is refused with the code of the hook', async test => {
    const server = await serve(test, stock, {
      policy: { subscribed: () => ({ code: 102, message: 'unknown channel' }) },
    });
    const client = await server.connected();
    const context = await client.subscribe('news').events.next('unsubscribed');
    expect(context).toEqual({ channel: 'news', code: 102, reason: 'unknown channel' });
    expect(server.node.stats().subscriptions).toBe(0);
  });
});
