// How long feeds live, how many there are, and what they cost (console 7.8).
import { ManualClock } from '@msg/foundation/clock/testing';
import { eventually } from '@msg/testkit';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AuditReader } from '#src/audit/reader.ts';
import { DeadLetters } from '#src/notify/dead-letters/dead-letters.ts';
import { RedriveJobs } from '#src/notify/dead-letters/jobs/redrive.ts';
import { NodeSurveys } from '#src/realtime/node-surveys.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { rpcOf } from '../support/rpc.ts';
import { scrape } from '../support/scrape.ts';
import { closeClients, stockClient } from '../support/stock-client.ts';

const TICK_MS = 2000;
const FEEDS = 200;
const FEEDS_OF_ONE = 5;
const TOPICS = ['stats', 'hints', 'dlq', 'jobs', 'audit', 'recording'];

let clock: ManualClock;
let service: Embedded;

beforeEach(async () => {
  clock = new ManualClock();
  service = await embed({ clock, revocationStore: 'auto' });
});
afterEach(async () => {
  vi.restoreAllMocks();
  closeClients();
  await stopEmbedded();
});

const callerOf = (subject: string) => rpcOf(service.url, service.msg.tokens.issueManagement(subject).token);
const feeds = async (): Promise<number> => (await scrape(service.url)).value('msg_console_feeds');

describe('a feed', () => {
  it('that is not renewed ends 60 s after its token, which lasts 2 min', async () => {
    const rpc = callerOf('ann');
    const { body } = await rpc('OpenFeed', {});
    expect(Number(body['access_expires_unix']) * 1000 - clock.now()).toBeLessThanOrEqual(120_000);
    expect(Number(body['access_expires_unix']) * 1000 - clock.now()).toBeGreaterThan(118_000);
    await clock.advance(179_000);
    expect(await feeds()).toBe(1);
    await clock.advance(1000 + TICK_MS);
    await eventually('it has ended', async () => (await feeds()) === 0);
    expect((await rpc('RenewFeed', { feed: body['feed'] })).code).toBe('MSG_INVALID_ARGUMENT');
  });

  it('that is renewed lives on, and its channel with it', async () => {
    const rpc = callerOf('ann');
    const { body } = await rpc('OpenFeed', {});
    for (let minute = 0; minute < 30; minute++) {
      await clock.advance(60_000);
      const renewed = await rpc('RenewFeed', { feed: body['feed'] });
      expect(renewed).toMatchObject({ status: 200, body: { channel: body['channel'] } });
    }
    expect(await feeds()).toBe(1);
    expect((await service.msg.channels.get(String(body['channel']))).state).toBe('open');
  });

  it('is one of two hundred of a node, and one that is closed makes room', async () => {
    const callers = Array.from({ length: FEEDS / FEEDS_OF_ONE }, (_, n) => callerOf(`operator-${n}`));
    const opened = await Promise.all(
      callers.flatMap(call => Array.from({ length: FEEDS_OF_ONE }, () => call('OpenFeed', {}))),
    );
    expect(new Set(opened.map(({ status }) => status))).toEqual(new Set([200]));
    const late = callerOf('late');
    const refused = await late('OpenFeed', {});
    expect([refused.code, refused.body['msg']]).toEqual([
      'MSG_INVALID_ARGUMENT',
      'the node has 200 feeds: try again later',
    ]);
    expect(await feeds()).toBe(FEEDS);
    const [first] = callers;
    expect((await first?.('CloseFeed', { feed: opened[0]?.body['feed'] }))?.status).toBe(200);
    expect((await late('OpenFeed', {})).status).toBe(200);
    // All of them end by themselves.
    await clock.advance(180_000 + TICK_MS);
    await eventually('all have ended', async () => (await feeds()) === 0);
  });
});

describe('what feeds cost', () => {
  /** What is computed from now on: the questions to nodes, and the reads of each topic. */
  function watched() {
    const asked: string[] = [];
    const { ask } = NodeSurveys.prototype;
    vi.spyOn(NodeSurveys.prototype, 'ask').mockImplementation(function (
      this: NodeSurveys,
      question,
      ...rest
    ) {
      asked.push(question.operation);
      return ask.call(this, question, ...rest) as never; // as the question's answer
    });
    const reads = [
      vi.spyOn(DeadLetters.prototype, 'sizes'),
      vi.spyOn(RedriveJobs.prototype, 'list'),
      vi.spyOn(AuditReader.prototype, 'list'),
    ];
    return { asked, reads: () => reads.map(({ mock }) => mock.calls.length) };
  }

  async function follow(call: ReturnType<typeof callerOf>): Promise<string[]> {
    const { body } = await call('OpenFeed', { topics: TOPICS });
    const told: string[] = [];
    const client = stockClient(service.websocketUrl, { token: String(body['access_token']) });
    const subscription = client.newSubscription(String(body['channel']));
    subscription.on('publication', ({ data }) => told.push(data.topic));
    subscription.subscribe();
    client.connect();
    await subscription.ready(20_000);
    return told;
  }

  it('is nothing but a count of subscribers while none is subscribed', async () => {
    const call = callerOf('ann');
    await call('OpenFeed', { topics: TOPICS });
    const { asked, reads } = watched();
    for (let tick = 0; tick < 5; tick++) await clock.advance(TICK_MS);
    expect(new Set(asked)).toEqual(new Set(['msg_channel_counts']));
    expect(asked.length).toBeLessThanOrEqual(5);
    expect(reads()).toEqual([0, 0, 0]);
  });

  it('is one question to the nodes for the numbers of all of them', async () => {
    const followers = [
      await follow(callerOf('ann')),
      await follow(callerOf('ben')),
      await follow(callerOf('eve')),
    ];
    const { asked } = watched();
    await clock.advance(TICK_MS);
    await eventually('each has its numbers', () => followers.every(told => told.includes('stats')));
    const count = (operation: string): number => asked.filter(name => name === operation).length;
    expect([count('msg_nodes'), count('msg_channel_counts')]).toEqual([1, 1]);
  });
});
