import { eventually } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Feeds } from '#src/live/feeds.ts';
import type { Recordings } from '#src/live/recordings.ts';
import { SessionEnds } from '#src/live/session-ends.ts';
import { NodeSurveys } from '#src/realtime/node-surveys.ts';
import { closeClients, follow, stockClient } from '../support/stock-client.ts';
import { ConsoleRig } from './console-rig.ts';

const ROOM = 'public:shop.news';

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await ConsoleRig.start({ console: { enabled: true, boundToLoopback: true } });
  await rig.msg.channels.openPublic(ROOM);
});
afterEach(closeClients);
afterAll(() => rig.msg.stop());

/** A session of the one token, with a feed and a tail in it. */
async function looking() {
  const cookie = await rig.signIn();
  const call = async (method: string, body: object) => {
    const answer = await rig.rpc(method, body, { cookie });
    expect([method, answer.status]).toEqual([method, 200]);
    return answer.json;
  };
  const opened = await call('OpenFeed', {});
  const url = `ws://127.0.0.1:${rig.port}/connection/websocket`;
  const client = stockClient(url, { token: String(opened['access_token']) });
  const { subscription, ended } = await follow(client, String(opened['channel']));
  await call('StartTail', { feed: opened['feed'], name: ROOM });
  return { cookie, call, feed: opened['feed'], subscription, ended };
}

async function recordedClient(call: Awaited<ReturnType<typeof looking>>['call']): Promise<unknown> {
  const client = stockClient(`ws://127.0.0.1:${rig.port}/connection/websocket`);
  const id = new Promise<string>(resolve => client.on('connected', context => resolve(context.client)));
  client.connect();
  return (await call('StartRecording', { client: await id, seconds: 600 }))['recording'];
}

describe('signing out', () => {
  it('ends the feeds, tails and recordings of the session, and of no other one of the same token', async () => {
    const [mine, other] = [await looking(), await looking()];
    const recordings = [await recordedClient(mine.call), await recordedClient(other.call)];
    expect((await rig.rpc('CloseFeed', { feed: mine.feed }, { cookie: other.cookie })).status).toBe(400);
    await rig.post('/console/session/end', undefined, { cookie: mine.cookie });
    expect(await mine.ended).toBe(2000);
    const stateOf = async (recording: unknown) => (await other.call('GetRecording', { recording }))['state'];
    await eventually('its recording ends', async () => (await stateOf(recordings[0])) === 'rights');
    expect(await stateOf(recordings[1])).toBe('running');
    const metrics = await rig.send('GET', '/metrics');
    expect(metrics.text).toContain('msg_console_feeds 1\n');
    expect(metrics.text).toContain('msg_console_tails 1\n');
    expect(other.subscription.state).toBe('subscribed');
  });
});

describe('the end of a session', () => {
  it('is told to every node, and waits for none', async () => {
    const ended: string[] = [];
    const failures: unknown[] = [];
    const node = {
      operational: true,
      nodes: () => ['a', 'b'],
      async survey(operation: string, data: Uint8Array) {
        const respond = async (surveys: NodeSurveys) => surveys.respond(operation, data);
        for (const surveys of [here, there]) await respond(surveys);
        return new Map();
      },
    };
    const nodeOf = (name: string): { readonly surveys: NodeSurveys; readonly ends: SessionEnds } => {
      const surveys = new NodeSurveys(() => node);
      const feeds: Pick<Feeds, 'endOf'> = {
        endOf: async session => void ended.push(`${name} feeds ${session}`),
      };
      const recordings: Pick<Recordings, 'endOf'> = {
        endOf: session => void ended.push(`${name} recordings ${session}`),
      };
      const ends = new SessionEnds({
        feeds,
        recordings,
        surveys,
        onError: error => void failures.push(error),
      });
      return { surveys, ends };
    };
    const [{ surveys: here, ends }, { surveys: there }] = [nodeOf('a'), nodeOf('b')];
    ends.announce('s');
    await eventually('both have heard it', () => ended.length === 4);
    expect(ended).toEqual(['a recordings s', 'a feeds s', 'b recordings s', 'b feeds s']);
    expect(failures).toEqual([]);
  });
});
