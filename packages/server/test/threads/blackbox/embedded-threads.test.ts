import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock, systemRandom } from '@msg/foundation/clock';
import { type LogFields, Msg, type StartOptions, type StoreBackend } from '@msg/server';
import { memoryStores } from '@msg/server/internal';
import { eventually } from '@msg/testkit';
import { afterEach, expect, test } from 'vitest';
import { temporaryFolder } from '../../support/folders.ts';
import { CONSOLE_CLIENT, startIdentityProvider } from '../../support/identity-provider.ts';
import { rpcOf } from '../../support/rpc.ts';
import { closeClients, outcome, received, stockClient } from '../../support/stock-client.ts';
import { startFaultyServer } from '../../support/threads.ts';

const REPOSITORY = fileURLToPath(new URL('../../../../../', import.meta.url));

let msg: Msg | undefined;
afterEach(async () => {
  closeClients();
  await msg?.stop();
  msg = undefined;
});

/** Stores that say that they join several processes. */
function joined(): StoreBackend {
  const memory = memoryStores();
  const clusterBus = { health: {}, start: async () => {}, close: async () => {} };
  return { open: async context => ({ ...(await memory.open(context)), clusterBus }) };
}

async function start(options: StartOptions = {}) {
  msg = await Msg.start({ threads: 2, listen: { port: 0 }, ...options });
  const [address] = msg.addresses;
  if (address === undefined) throw new Error('it listens');
  const { token } = msg.tokens.issueManagement('app');
  const websocketUrl = `${address.url.replace('http', 'ws')}/connection/websocket`;
  return { msg, rpc: rpcOf(address.url, token), url: address.url, websocketUrl };
}

test("clients on threads and the embedder's own code, which stays on its thread, are one service", async () => {
  const calls: string[] = [];
  const sent: unknown[] = [];
  const { msg, rpc, websocketUrl } = await start({
    clientRpc({ method, data }) {
      calls.push(method);
      return data;
    },
    authorizer: ({ channel }) => (channel === 'public:app.denied' ? { deny: 'not today' } : undefined),
    sinks: [
      {
        name: 'pager',
        async send(recipient, message) {
          sent.push([recipient, message.body]);
        },
      },
    ],
  });
  await msg.channels.openPublic('public:app.news');
  await msg.channels.openPublic('public:app.denied');
  const client = stockClient(websocketUrl);
  const subscription = client.newSubscription('public:app.news');
  const publications = received(subscription);
  subscription.subscribe();
  client.connect();
  await subscription.ready(60_000);
  expect(await msg.presence('public:app.news')).toBe(1);
  const ack = await msg.publish('public:app.news', { n: 1 });
  expect(ack.offset).toBe(1);
  await eventually('the publication', () => publications.length === 1);
  expect((await client.rpc('echo', { x: 1 })).data).toEqual({ x: 1 });
  expect(calls).toEqual(['echo']);
  const denied = client.newSubscription('public:app.denied');
  const refused = outcome(denied);
  denied.subscribe();
  expect(await refused).toBe(103);
  const answer = await rpc('PublishOrSink', {
    name: 'public:app.nobody',
    data: '',
    sink: 'pager',
    recipient: 'ada',
    message: { body: 'wake up' },
  });
  expect(answer.body).toMatchObject({ outcome: 'sent', via: 'sink' });
  expect(sent).toEqual([['ada', 'wake up']]);
});

test("an unknown failure of the embedder's code is told to the client without its text, and logged with its stack", async () => {
  const records: LogFields[] = [];
  const { websocketUrl } = await start({
    logger: { info() {}, warn() {}, error: fields => void records.push(fields) },
    clientRpc() {
      throw new RangeError('the table is full');
    },
  });
  const client = stockClient(websocketUrl);
  client.connect();
  await client.ready(60_000);
  const refused = await client.rpc('book', {}).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: 100 });
  expect(JSON.stringify(refused)).not.toContain('table');
  const stack = expect.stringContaining('embedded-threads.test.ts');
  await eventually('the record', () => records.length > 0);
  expect(records).toContainEqual({ error: 'RangeError: the table is full', stack });
});

test('a message that its sink refuses is parked on main, where the dead letters are', async () => {
  const { rpc } = await start({
    sinkRetry: { maxAttempts: 1 },
    sinks: [
      {
        name: 'broken',
        async send() {
          throw new Error('the destination is away');
        },
        decodeRecipient: stored => stored,
      },
    ],
  });
  const answer = await rpc('PublishOrSink', {
    name: 'public:app.nobody',
    data: '',
    sink: 'broken',
    recipient: 'a',
  });
  expect(answer.body).toMatchObject({ outcome: 'parked', via: 'dlq' });
  const { items } = (await rpc('DlqList', { sink: 'broken' })).body as {
    items: { id: string; recipient: unknown }[];
  };
  expect(items).toMatchObject([{ recipient: 'a', last_error: 'the destination is away' }]);
  const replayed = await rpc('DlqReplay', { id: items[0]?.id });
  expect(replayed.body).toMatchObject({ outcome: 'parked' });
});

test('keys of all threads are those of main: what was generated and retired is so for the next request', async () => {
  const { rpc, msg } = await start();
  const before = msg.keys.activeId;
  const { body } = await rpc('GenerateKey', {});
  expect((await rpc('PromoteKey', { id: body['id'] })).status).toBe(200);
  expect(msg.keys.activeId).toBe(body['id']);
  expect((await rpc('RetireKey', { id: before })).status).toBe(200);
  // The bearer was signed with it.
  for (let request = 0; request < 4; request++) expect((await rpc('ListKeys', {})).status).toBe(401);
});

test.each([
  ['stores.clusterBus', { stores: joined() }],
  ['clock', { clock: systemClock }],
  ['random', { random: systemRandom }],
] as const)('more than one thread and %s are refused', async (name, options) => {
  const started = Msg.create({ threads: 2, ...options });
  await expect(started).rejects.toMatchObject({
    code: 'MSG_INVALID_ARGUMENT',
    message: expect.stringMatching(new RegExp(`^${name}: `)),
  });
});

test.each([0, -1, 1.5, 33, 'all'])('%s threads are refused', async threads => {
  const created = Msg.create({ threads: threads as number });
  await expect(created).rejects.toMatchObject({
    code: 'MSG_INVALID_ARGUMENT',
    message: `server.threads: must be an integer from 1 to 32 or auto; got ${threads}`,
  });
});

test('with one thread nothing of threads is loaded', () => {
  const program = `
import { registerHooks } from 'node:module';
const loaded = [];
registerHooks({ load(url, context, next) { loaded.push(url); return next(url, context); } });
const { Msg } = await import('@msg/server');
const msg = await Msg.start({ threads: 1, listen: { port: 0 } });
await msg.stop();
console.log(JSON.stringify(loaded));`;
  const flags = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const output = execFileSync(process.execPath, [...flags, '--eval', program], {
    cwd: REPOSITORY,
    encoding: 'utf8',
  });
  const urls = JSON.parse(output) as string[];
  expect(urls.length).toBeGreaterThan(200);
  expect(urls.filter(url => /\/src\/(?:\w+\/)?threads\//.test(url))).toEqual([]);
});

test('a process whose threads cannot be made says why, and ends by itself', () => {
  const program = `
process.execArgv.push('--cpu-prof-unknown=1');
const { Msg } = await import('@msg/server');
const error = await Msg.start({ threads: 2, listen: { port: 0 } }).catch(error => error);
console.log(error.code, error.cause.code);`;
  const flags = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning', '--input-type=module'];
  const options = { cwd: REPOSITORY, encoding: 'utf8', timeout: 60_000 } as const;
  const output = execFileSync(process.execPath, [...flags, '--eval', program], options);
  expect(output).toBe('MSG_BROKER_INTERNAL ERR_WORKER_INVALID_EXEC_ARGV\n');
}, 90_000);

test('a thread is given no secret and no variable of the process but harmless ones', async () => {
  const folder = await temporaryFolder();
  const config = join(folder, 'msg.yaml');
  const webhook = '{ kind: webhook, url: "https://example.com/hook", signing_secret: "$HOOK" }';
  const provider = await startIdentityProvider({ backs: [] });
  await writeFile(
    config,
    `server: { threads: 2 }
sinks: { orders: ${webhook.replace('$HOOK', '$' + '{HOOK_SECRET}')} }
auth: { oidc: { issuer: '${provider.issuer}', audience: msg-ops, allow_all: true } }
console: { origin: 'https://msg.example.com', oidc: { client_id: ${CONSOLE_CLIENT} } }
`,
  );
  const server = await startFaultyServer({
    args: ['--config', config],
    env: {
      HOOK_SECRET: 'secret-of-a-sink',
      MSG_REDIS_PASSWORD: 'redis-password',
      MSG_CONSOLE_OIDC_CLIENT_SECRET: 'secret-of-a-client',
    },
  });
  try {
    await server.fail(1, 'dump');
    await eventually('the dump', () => server.output().stderr.includes('given: '));
    const [, given = ''] = /given: (.*)/.exec(server.output().stderr) ?? [];
    const { workerData, env } = JSON.parse(given);
    expect(workerData).toMatchObject({ number: 1, sinks: [{ name: 'orders' }] });
    expect(Object.keys(env).filter(name => !/^(?:NODE_|TZ$|LANG$|LC_)/.test(name))).toEqual([]);
    expect(given).not.toContain('secret-of-a-sink');
    expect(given).not.toContain('redis-password');
    expect(workerData.asks.login).toBe(true);
    expect(given).not.toContain('secret-of-a-client');
  } finally {
    await server.stop();
    await provider.stop();
  }
});
