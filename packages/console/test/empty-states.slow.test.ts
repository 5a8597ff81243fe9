import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Service } from './service.ts';
import { LOOKS, Visit } from './visit.ts';

/** A service that has only just started, with a channel in which nothing happened. */
let service: Service;
let visit: Visit;

const CHANNEL = encodeURIComponent('public:shop.quiet');

beforeAll(async () => {
  service = await Service.configured(
    'sinks: { orders: { kind: webhook, url: "http://127.0.0.1:9/hook" } }\n',
  );
  visit = await Visit.start(service.server.url);
  await visit.signIn(service.server.token);
});
afterAll(async () => {
  await visit.stop();
  await service.stop();
});

/** Each page, and what it says while nothing is there. */
const EMPTY: readonly (readonly [path: string, text: string])[] = [
  ['channels', 'No channel yet'],
  ['connections?transport=http_stream', 'No connection matches'],
  ['users', 'No user is connected'],
  ['users/none', 'Not connected'],
  ['sinks', 'orders'],
  ['dead-letters', 'No dead letter'],
  ['tokens', 'No token yet'],
  ['tokens?tab=api-keys', 'No API key'],
  ['schemas', 'No schema'],
  ['configuration?tab=limits', 'Nothing is limited'],
  ['audit?method=DeleteChannel', 'No record matches'],
];
const OF_CHANNEL: readonly (readonly [path: string, text: string])[] = [
  [`channels/${CHANNEL}`, 'Nothing was published yet'],
  [`channels/${CHANNEL}?tab=live`, 'No publication yet'],
  [`channels/${CHANNEL}?tab=presence`, 'No subscriber'],
];

describe.each(LOOKS.slice(0, 2))('at %o', look => {
  it.each(EMPTY)('%s is accessible while it is empty, and says: %s', async (path, text) => {
    expect(await visit.faultsOf(path, text, look)).toEqual([]);
  });
});

describe('a channel in which nothing happened', () => {
  beforeAll(() => service.fill('public:shop.quiet'));

  it.each(LOOKS.slice(0, 2))('is accessible at %o', async look => {
    for (const [path, text] of OF_CHANNEL) expect(await visit.faultsOf(path, text, look)).toEqual([]);
  });
});
