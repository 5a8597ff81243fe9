import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readChannelPattern } from '@msg/core/internal';
import { systemClock } from '@msg/foundation/clock';
import { EmailSink, MemoryRevocationStore, type Msg, WebhookSink } from '@msg/server';
import { cleanEnv, eventually, freePort, MSG_BIN, ShellProcess, startMsg } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { type CliRun, type CliRunOptions, runCli } from '../support/cli-io.ts';
import { approveLogin } from '../support/device-approval.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { temporaryFolder } from '../support/folders.ts';
import { expectHumanForm } from '../support/human-form.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { OutboxDatabase } from '../support/outbox-database.ts';
import { rpcOf } from '../support/rpc.ts';
import { closeClients, stockClient } from '../support/stock-client.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../../../docs/cli.md'), 'utf8');
const EXAMPLES = [...PAGE.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].flatMap(([, block = '']) =>
  block.split('\n').filter(line => line.startsWith('msg ')),
);
const ORDER = { pattern: 'public:shop.order.{id}', aspects: { status: {} } };

let stores: RedisServer[];
let provider: IdentityProvider;
let database: OutboxDatabase;
beforeAll(async () => {
  stores = await Promise.all([RedisServer.start(), RedisServer.start()]);
  provider = await startIdentityProvider();
  database = await OutboxDatabase.start();
}, 120_000);
afterEach(async () => {
  closeClients();
  await stopEmbedded();
});
afterAll(async () => {
  await Promise.all(stores.map(store => store.stop()));
  await provider.stop();
  await database.stop();
});

/** What the examples speak of, by the names that they give it. */
type World = Readonly<Record<string, string>>;

/** The id of a connection that subscribes. */
async function connected(websocketUrl: string): Promise<string> {
  const client = stockClient(websocketUrl);
  const { promise, resolve } = Promise.withResolvers<string>();
  client.on('connected', context => resolve(context.client));
  client.newSubscription('public:shop.news').subscribe();
  client.connect();
  return promise;
}

/** The id of a job that sends again, slowly. */
async function redriving(msg: Msg, url: string): Promise<string> {
  const { token } = msg.tokens.issueManagement();
  await msg.publishOrSink('public:shop.order.8', new Uint8Array(), 'orders', {}, { body: 'parked' });
  const { body } = await rpcOf(url, token)('DlqRedrive', { sink: 'orders', all: true, per_second: 0.1 });
  return (body as { job: { id: string } }).job.id; // what DlqRedrive answers
}

/** A feed, one of its tails and a recording of a connection, of the caller of the example. */
async function looking(line: string, url: string, websocketUrl: string, token: string): Promise<World> {
  const call = async (method: string, request: object): Promise<Record<string, string>> =>
    (await rpcOf(url, token)(method, request)).body as Record<string, string>; // ids
  const isFeed = line.startsWith('msg feeds');
  const { feed = '' } = isFeed ? await call('OpenFeed', {}) : {};
  const { tail = '' } = isFeed ? await call('StartTail', { feed, name: 'public:shop.news' }) : {};
  const { recording = '' } = line.startsWith('msg recordings')
    ? await call('StartRecording', { client: await connected(websocketUrl) })
    : {};
  return { mfzwizltoq2gc3tbmfzwizltoq: isFeed ? feed : recording, nf2gk3tbmfzwizltoqmfzwizlt: tail };
}

/** A schema as `msg outbox` finds it, with two dead rows of each sort that the examples name. */
async function outboxOf(line: string): Promise<World> {
  database.sql('DROP SCHEMA IF EXISTS msg CASCADE');
  if (line.startsWith('msg outbox migrate')) return {};
  expect((await runCli(['outbox', 'migrate'], { env: database.env() })).code).toBe(0);
  database.bury('msg', 'public:shop.status', 'MSG_CHANNEL_NOT_FOUND', 2);
  const [one = '', other = ''] = database.bury('msg', 'public:shop.news', 'MSG_AUTH_DENIED', 2);
  return { '42': one, '43': other };
}

async function fill(
  line: string,
  folder: string,
  { msg, url, websocketUrl }: Embedded,
  token: string,
): Promise<World> {
  await msg.channels.openPublic('public:shop.news');
  await msg.channels.openPublic('public:shop.status');
  await msg.publish('public:shop.news', Buffer.from('{"n":1}'));
  const taken = line.startsWith('msg channels create') && !line.includes('reuse') ? 78 : 77;
  const pair = await msg.channels.createPrivate({ name: `private:shop.order.${taken}`, subject: 'u-9' });
  await msg.channels.openPublic('public:shop.log');
  if (line.includes('shop.log') && !line.startsWith('msg append'))
    await (await msg.appendStream('public:shop.log')).write('so far');
  const [sink, recipient] = line.startsWith('msg dlq edit')
    ? ['email', { address: 'a@example.com' }]
    : ['orders', {}];
  await msg.publishOrSink('public:shop.order.7', new Uint8Array(), sink, recipient, { body: 'parked' });
  const [letter] = await msg.deadLetters.list(sink, 1);
  const isStop = line.startsWith('msg dlq stop');
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const addr = `127.0.0.1:${await freePort()}`;
  return {
    $REFRESH_TOKEN: pair.refresh_token,
    $ACCESS_TOKEN: pair.access_token,
    $TOKEN: pair.access_token,
    '50f649f2-e4f5-41c0-9325-3ae2e97af65e': line.includes('50f649f2') ? await connected(websocketUrl) : '',
    'k-0a1b2c3d4e5f': (await msg.keys.generate()).id,
    '0a1b2c3d4e5f6a7b': isStop ? await redriving(msg, url) : (letter?.id ?? ''),
    '/etc/msg/msg.yaml': file('msg.yaml', `server: { addr: "${addr}" }\n`),
    '/var/lib/msg': join(folder, 'state'),
    './state': join(folder, 'new-state'),
    'ring.json': join(folder, 'ring.json'),
    'order.json': file('order.json', JSON.stringify(ORDER)),
    'picture.png': file('picture.png', 'pixels'),
    'build.log': file('build.log', 'compiled\n'),
    'events.ndjson': file('events.ndjson', '{"n":1}\n{"n":2}\n'),
    'items.ndjson': file('items.ndjson', '{"name":"public:shop.news","json":{"text":"hello"}}\n'),
    'message.json': file('message.json', '{"n":2}'),
    'token.txt': file('token.txt', pair.access_token),
    '127.0.0.1:9000': addr,
    'redis.internal:6379': stores[0]?.address ?? '',
    'redis.eu:6379': stores[0]?.address ?? '',
    'redis.us:6379': stores[1]?.address ?? '',
    'http://node-b:8000': url,
    'https://msg.example.com': url,
    'https://ops.example.com': url,
    ...(await looking(line, url, websocketUrl, token)),
    'https://idp.example.com/realms/ops': provider.issuer,
    'http://msg.internal:8000': url,
    ...(line.startsWith('msg outbox') ? await outboxOf(line) : {}),
  };
}

/** What must be there, or not be there yet, before one example. */
async function prepare(line: string, { msg, url }: Embedded, world: World): Promise<void> {
  if (/^msg api-keys (rotate|revoke)/.test(line)) {
    const env = { MSG_SERVER: url, MSG_TOKEN: msg.tokens.issueManagement().token };
    await runCli(['api-keys', 'create', 'shop'], { env });
  }
  // The destination is back.
  if (line.startsWith('msg dlq replay'))
    msg.sinks.register({ name: 'orders', send: async () => {}, decodeRecipient: stored => stored });
  if (!line.startsWith('msg schemas register')) await msg.schemas.register(readChannelPattern(ORDER));
  const [ring = '', state = '', shared = ''] = ['ring.json', '/var/lib/msg', 'redis.internal:6379'].map(
    name => world[name],
  );
  if (!/^msg keys (import|export --redis|sync)/.test(line)) return;
  await runCli(['keys', 'export', '--state-dir', state, '--out', ring]);
  await runCli(['keys', 'import', ring, '--redis-addr', shared]);
}

/** The words of one command as a shell makes them. */
function wordsOf(command: string, world: World): string[] {
  const text = Object.entries(world)
    .toSorted(([one], [other]) => other.length - one.length)
    .reduce((changed, [name, value]) => changed.replaceAll(name, value), command);
  return [...text.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, one, two, three]) => one ?? two ?? three ?? '',
  );
}

async function follow(line: string, world: World, options: CliRunOptions): Promise<CliRun> {
  let result: CliRun | undefined;
  for (const part of line.split(' | ')) {
    const [command = '', input] = part.replace(/ > \S+$/, '').split(' < ');
    const words = wordsOf(command, world);
    const stdin = input === undefined ? result?.stdout : readFileSync(world[input] ?? input, 'utf8');
    const given = stdin === undefined ? options : { ...options, stdin };
    result = await runCli(words.slice(words.indexOf('msg') + 1), given);
    expect(result.stderr).not.toMatch(/^error: /m);
    expect(result.code).toBe(0);
    const { payload } = result.envelope ?? {}; // none for lines of another form
    if (payload !== undefined) expectHumanForm(payload);
  }
  return result as CliRun; // a line has a command
}

/** A program that runs until a signal ends it. A server of its own: what it listens on by default may be taken. */
async function runs(line: string, folder: string, world: World, variables: World = {}): Promise<void> {
  const quoted = wordsOf(line, world)
    .slice(1)
    .map(word => `'${word}'`);
  const env = { ...cleanEnv(), MSG_ADDR: `127.0.0.1:${await freePort()}`, ...variables };
  const server = new ShellProcess(`exec "${process.execPath}" ${MSG_BIN} ${quoted.join(' ')}`, {
    cwd: folder,
    env,
  });
  try {
    await server.printed('stderr', /listening|outbox: working/);
  } finally {
    await server.stop();
  }
}

/** Of a server that runs, whatever its address. */
async function asksHealth(line: string): Promise<void> {
  const server = await startMsg({ port: await freePort() });
  try {
    const host = new URL(server.url).host;
    const words = wordsOf(line, { '127.0.0.1:9000': host, '--pid 1': `--pid ${server.pid}` });
    expect((await runCli(words.slice(1))).code).toBe(0);
  } finally {
    await server.stop();
  }
}

test.each(EXAMPLES)('%s', async line => {
  if (line.startsWith('msg health')) return asksHealth(line);
  const folder = await temporaryFolder();
  mkdirSync(join(folder, 'state'));
  const service = await embed({
    stateDir: join(folder, 'state'),
    revocationStore: new MemoryRevocationStore(systemClock),
    sinks: [
      new WebhookSink({ name: 'orders', url: 'http://127.0.0.1:1' }),
      new EmailSink({ addr: '127.0.0.1:1', from: 'shop@example.com' }),
    ],
    sinkRetry: { maxAttempts: 1 },
    channels: { rules: [{ pattern: 'public:shop.log', append: true }] },
  });
  const { token } = service.msg.tokens.issueManagement();
  const world = await fill(line, folder, service, token);
  await prepare(line, service, world);
  const variables = { MSG_SERVER: service.url, MSG_TOKEN: token, ...database.env() };
  if (line.startsWith('msg serve')) return runs(line, folder, world);
  if (line.startsWith('msg outbox run')) return runs(line, folder, world, variables);
  const end = new AbortController();
  const running = follow(line, world, {
    env: variables,
    home: folder,
    interrupted: end.signal,
    onOutput: () => end.abort(),
    onError(text) {
      // Tokens of the old key live for an hour.
      if (line.includes('--wait')) end.abort();
      const [, address] = /^or open (\S+)\n/m.exec(text) ?? [];
      if (address !== undefined) void approveLogin(address, 'ada');
    },
  });
  if (/^msg (watch lifecycle|channels tail)/.test(line)) {
    let n = 0;
    const publishes = async () => {
      if (end.signal.aborted) return true;
      await service.msg.channels.openPublic(`public:shop.seen.n${n++}`);
      await service.msg.publish('public:shop.news', Buffer.from('{"n":2}'), { tags: { topic: 'world' } });
      return false;
    };
    await eventually('its output', publishes, 60_000, 100);
  }
  if (line.startsWith('msg subscribe') && !line.includes('--text')) {
    // One that is given what was published before has its output, and is gone again, at once.
    const listens = async () => end.signal.aborted || (await service.msg.presence('public:shop.news')) > 0;
    await eventually('a listener', listens);
    await service.msg.publish('public:shop.news', Buffer.from('{"n":2}'));
  }
  const { stdout } = await running;
  if (!/^msg keys export .*--out/.test(line)) expect(stdout).not.toBe('');
});

test.each(COMMANDS.map(({ name }) => name))('the page has an example of %s', name => {
  expect(EXAMPLES.some(line => line.startsWith(`msg ${name}`))).toBe(true);
});
