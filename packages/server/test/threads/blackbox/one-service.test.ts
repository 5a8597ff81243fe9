import { eventually } from '@msg/testkit';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { configuredServer, serverOfSuite } from '../../support/configured-server.ts';
import { closeClients, follow, stockClient } from '../../support/stock-client.ts';
import { seriesOf } from '../../support/threads.ts';

const CONFIG = `
server: { threads: 2 }
channels: { keep_open_while_subscribed: on }
manager: { sweep_interval: 100ms }
`;
const TTL_SECONDS = 1;

const suite = serverOfSuite(CONFIG);
afterEach(closeClients);

const stateOf = async (name: string): Promise<string> => {
  const { body } = await suite.rpc('GetChannel', { name });
  return (body['channel'] as { state: string }).state;
};
const open = (name: string) => suite.rpc('OpenPublic', { name, ttl_seconds: TTL_SECONDS });

test('a subscriber of any thread keeps its channel open, until it leaves', async () => {
  const clients = Array.from({ length: 4 }, () => stockClient(suite.server.websocketUrl));
  const kept = clients.map((_client, index) => `public:kept.${index}`);
  for (const name of kept) await open(name);
  await Promise.all(clients.map((client, index) => follow(client, kept[index] as string)));
  // Two more in turn, without subscribers: the second one is opened when the first has closed.
  for (const name of ['public:alone.1', 'public:alone.2']) {
    await open(name);
    await eventually('it closes', async () => (await stateOf(name)) === 'closed');
  }
  for (const name of kept) expect(await stateOf(name)).toBe('open');
  for (const client of clients) client.disconnect();
  for (const name of kept) await eventually('it closes', async () => (await stateOf(name)) === 'closed');
});

test('the manifest says of the process what it says of one without threads, and how many there are', async () => {
  const alone = await configuredServer('server: { threads: 1 }');
  onTestFinished(() => alone.stop());
  const manifests = [];
  for (const { url } of [suite.server, alone]) {
    const response = await fetch(`${url}/manifest`);
    manifests.push(((await response.json()) as { payload: Record<string, unknown> }).payload);
  }
  const [ours, theirs] = manifests as [Record<string, unknown>, Record<string, unknown>];
  const { boot_id, active_key_id, config_source, threads, ...same } = ours;
  expect(threads).toBe(2);
  expect(theirs).toMatchObject({ ...same, threads: 1 });
  expect(boot_id).not.toBe(theirs['boot_id']);
});

/** As any thread tells it: each request has a connection of its own. */
async function lastUseOf(name: string): Promise<string> {
  const { url, token } = suite.server;
  const response = await fetch(`${url}/twirp/msg.MsgService/ListApiKeys`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}`, connection: 'close' },
    body: '{}',
  });
  const { keys } = (await response.json()) as {
    keys: { name: string; secrets: { last_used_at: string }[] }[];
  };
  return keys.find(key => key.name === name)?.secrets[0]?.last_used_at ?? '';
}

test('the last use of an API key is that of any thread', async () => {
  const { body } = await suite.rpc('CreateApiKey', { name: 'till', role: 'viewer' });
  const secret = String(body['key']);
  const series = 'msg_api_key_last_used_seconds{name="till",slot="0"}';
  const before = Date.now() / 1000;
  let last = '';
  for (let call = 0; call < 4; call++) {
    const response = await fetch(`${suite.server.url}/twirp/msg.MsgService/WhoAmI`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${secret}`, connection: 'close' },
      body: '{}',
    });
    expect(response.status).toBe(200);
    for (let look = 0; look < 4; look++)
      expect(await seriesOf(suite.server.url, series)).toBeGreaterThanOrEqual(Math.floor(before));
    // Any thread says the same, and later than before.
    const answers = new Set<string>();
    for (let look = 0; look < 4; look++) answers.add(await lastUseOf('till'));
    const [answer = ''] = answers;
    expect(answers.size).toBe(1);
    expect(Date.parse(answer) / 1000).toBeGreaterThanOrEqual(before - 1);
    expect(answer > last, `${answer} is later than ${last}`).toBe(true);
    last = answer;
  }
});
