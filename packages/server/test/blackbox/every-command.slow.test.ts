import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { systemClock } from '@msg/foundation/clock';
import { MemoryRevocationStore, WebhookSink } from '@msg/server';
import { cleanEnv, eventually, MSG_BIN, ShellProcess } from '@msg/testkit';
import { RedisServer } from '@msg/testkit/redis';
import { Centrifuge } from 'centrifuge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '#src/cli/program.ts';
import { runCli } from '../support/cli-io.ts';
import { approveLogin } from '../support/device-approval.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { OutboxDatabase } from '../support/outbox-database.ts';
import { ENDLESS, TRIED } from '../support/terminal/lines.ts';
import { type AnswerServer, Recording } from '../support/terminal/recording.ts';
import { type Output, runSession, type SessionOptions } from '../support/terminal/session.ts';
import { missingInWideForm, missingOnTerminal, tooWide } from '../support/terminal/shown.ts';

type SessionName = 'pipe' | 'json' | 'wide' | 'narrow' | 'usual' | 'broad';

/** Every command runs once in each. */
const SESSIONS: Readonly<Record<SessionName, Pick<SessionOptions, 'columns'> & Partial<SessionOptions>>> = {
  pipe: {},
  json: { columns: 80, env: { MSG_OUTPUT: 'json' } },
  wide: { columns: 80, env: { MSG_OUTPUT: 'wide', NO_COLOR: '1' } },
  narrow: { columns: 40, env: { NO_COLOR: '1' } },
  usual: { columns: 80, env: {} },
  broad: { columns: 200, env: { NO_COLOR: '1' } },
};
const WIDTHS: readonly SessionName[] = ['narrow', 'usual', 'broad'];

const ROWS = Object.entries(TRIED).flatMap(([name, { lines, ...row }]) =>
  lines.map(words => ({ name, words, varying: [], isDocument: false, ...row })),
);

const recording = new Recording();
const outputs = new Map<SessionName, readonly Output[]>();
/** A connection that the commands list and end. */
let listener: Centrifuge;
let home: string;
let service: Embedded;
let provider: IdentityProvider;
let store: RedisServer;
let database: OutboxDatabase;
let facts: Record<string, string>;

/** What the command lines speak of. */
async function prepare(): Promise<Record<string, string>> {
  const { msg, url } = service;
  const { access_token: accessToken } = await msg.channels.createPrivate({ name: 'private:cli.kept.1' });
  const { refresh_token: refreshToken } = await msg.channels.createPrivate({ name: 'private:cli.kept.2' });
  await msg.publishOrSink('public:cli.order.7', new Uint8Array(), 'orders', {}, { body: 'parked' });
  await msg.publishOrSink('public:cli.order.8', new Uint8Array(), 'orders', {}, { body: 'parked' });
  const [letter, otherLetter] = await msg.deadLetters.list('orders', 2);
  // The destination is back.
  msg.sinks.register({ name: 'orders', send: async () => {}, decodeRecipient: stored => stored });
  listener = new Centrifuge(`${url.replace('http', 'ws')}/connection/websocket`);
  const client = await new Promise<string>(resolve => {
    listener.on('connected', connected => resolve(connected.client));
    listener.connect();
  });
  const { token } = msg.tokens.issueManagement();
  const operator = { MSG_SERVER: url, MSG_TOKEN: token };
  await msg.channels.openPublic('public:cli.log');
  await (await msg.appendStream('public:cli.log', { message: 'm-1' })).write('so far');
  const redriven = await runCli(['dlq', 'redrive', 'orders', '--id', 'none'], { env: operator });
  const job = (redriven.envelope?.payload['job'] ?? {}) as { readonly id?: string }; // as the command prints it
  const opened = await runCli(['feeds', 'open'], { env: operator });
  const feed = String(opened.envelope?.payload['feed']);
  const tailed = await runCli(['feeds', 'tail', feed, 'public:cli.log'], { env: operator });
  const recorded = await runCli(['recordings', 'start', client, '--seconds', '600'], { env: operator });
  const file = (name: string, text: string): string => {
    writeFileSync(join(home, name), text);
    return join(home, name);
  };
  const item = JSON.stringify({ name: 'public:cli.room', json: 1 });
  const ring = join(home, 'ring.json');
  const stateDir = join(home, 'state');
  const spareKey = (await msg.keys.generate()).id;
  const oldKey = (await msg.keys.generate()).id;
  await runCli(['keys', 'export', '--state-dir', stateDir, '--out', ring]);
  await runCli(['keys', 'import', ring, '--redis-addr', store.address]);
  for (const schema of ['cli', 'kept'])
    await runCli(['outbox', 'migrate', '--schema', schema], { env: database.env() });
  database.bury('kept', 'public:cli.order.7', 'MSG_INVALID_ARGUMENT', 2);
  database.publish('kept', 'public:cli.order.8', 'waits');
  database.sql(`UPDATE kept.outbox SET not_before = 'infinity', attempts = 3, last_error = 'not open'`);
  return {
    token,
    accessToken,
    refreshToken,
    letter: letter?.id ?? '',
    otherLetter: otherLetter?.id ?? '',
    client,
    job: job.id ?? '',
    feed: String(opened.envelope?.payload['feed']),
    tail: String(tailed.envelope?.payload['tail']),
    recording: String(recorded.envelope?.payload['recording']),
    spareKey,
    oldKey,
    items: file('items.ndjson', `${item}\n\n${item}\n`),
    config: file('msg.yaml', 'channels:\n  open:\n    - { name: public:shop.news, ttl: never }\n'),
    ring,
    stateDir,
    store: store.address,
    issuer: provider.issuer,
    url,
    host: new URL(url).host,
  };
}

/** Where one session keeps its login, and what it imports. */
const homeOf = (session: SessionName): string => join(home, session);

async function runAll(session: SessionName, server: AnswerServer): Promise<void> {
  const folder = homeOf(session);
  mkdirSync(folder);
  const values: Readonly<Record<string, string>> = { ...facts, home: folder, prefix: session };
  const filled = (word: string): string =>
    word.replaceAll(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
  const approved = new Set<string>();
  const env = { ...database.env(), MSG_SERVER: server.url, MSG_TOKEN: values['token'], HOME: folder };
  const ended = await runSession(
    ROWS.map(({ name, words }) => [...name.split(' '), ...words.map(filled)]),
    {
      folder,
      ...SESSIONS[session],
      env: { ...env, ...SESSIONS[session].env },
      onOutput(output) {
        const [, address] = /^or open (\S+)\r?\n/m.exec(output) ?? [];
        if (address === undefined || approved.has(address)) return;
        approved.add(address);
        void approveLogin(address, 'ada');
      },
    },
  );
  outputs.set(session, ended);
  await server.stop();
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'msg-every-command-'));
  [store, provider, database] = await Promise.all([
    RedisServer.start(),
    startIdentityProvider(),
    OutboxDatabase.start(),
  ]);
  service = await embed({
    stateDir: join(home, 'state'),
    revocationStore: new MemoryRevocationStore(systemClock),
    sinks: [new WebhookSink({ name: 'orders', url: 'http://127.0.0.1:1' })],
    sinkRetry: { maxAttempts: 1 },
    channels: { rules: [{ pattern: 'public:cli.log', append: true }] },
  });
  facts = await prepare();
  await runAll('pipe', await recording.record(service.url));
  const others = Object.keys(SESSIONS).filter(name => name !== 'pipe') as SessionName[]; // keys of the table
  await Promise.all(others.map(async session => runAll(session, await recording.replay())));
}, 180_000);
afterAll(async () => {
  listener.disconnect();
  await stopEmbedded();
  await Promise.all([provider.stop(), store.stop(), database.stop()]);
  rmSync(home, { recursive: true, force: true });
});

it('every command of the table is tried', () => {
  const names = COMMANDS.map(({ name }) => name);
  expect([...Object.keys(TRIED), ...ENDLESS].toSorted()).toEqual(names.toSorted());
});

describe.each(ROWS.map((row, index) => ({ ...row, index, line: [row.name, ...row.words].join(' ') })))(
  'msg $line',
  ({ index, isDocument, varying }) => {
    const outputOf = (session: SessionName): Output =>
      outputs.get(session)?.[index] ?? { text: '', code: -1 };
    const payload = (session: SessionName): Record<string, unknown> => {
      const { text } = outputOf('pipe');
      return JSON.parse(text.replaceAll(homeOf('pipe'), homeOf(session))).payload;
    };

    it('succeeds everywhere', () => {
      for (const session of outputs.keys()) expect(outputOf(session).code, outputOf(session).text).toBe(0);
    });

    if (isDocument) {
      it('is the same document on every terminal as in a pipe', () => {
        for (const session of outputs.keys()) expect(outputOf(session).text).toBe(outputOf('pipe').text);
      });
      return;
    }

    it('in a pipe, and on a terminal that asks for it, is the envelope byte for byte', () => {
      const envelope = JSON.parse(outputOf('pipe').text);
      expect(outputOf('pipe').text).toBe(`${JSON.stringify(envelope, null, 2)}\n`);
      expect(Object.keys(envelope)).toEqual([
        'code',
        'type',
        'kind',
        'format_version',
        'generated_at',
        'payload',
      ]);
      const members = ['generated_at', ...varying].join('|');
      const stable = (text: string): string => text.replaceAll(new RegExp(`"(${members})": .*`, 'g'), '"$1"');
      expect(stable(outputOf('json').text.replace(/^To log in.*\nor open .*\n/, ''))).toBe(
        stable(outputOf('pipe').text).replaceAll(homeOf('pipe'), homeOf('json')),
      );
    });

    it('on a terminal shows every member of the payload, with its value', () => {
      const { text } = outputOf('wide');
      expect(text).not.toMatch(/^\{/);
      expect(missingInWideForm(text, payload('wide'), varying), text).toEqual([]);
    });

    it.each(WIDTHS)('fits a terminal that is %s, with every member; what is copied is whole', session => {
      const text = stripVTControlCharacters(outputOf(session).text);
      expect(missingOnTerminal(text, payload(session), varying), text).toEqual([]);
      expect(tooWide(text, SESSIONS[session].columns ?? 0)).toEqual([]);
    });

    it('has colour only where nothing is against it', () => {
      for (const session of ['narrow', 'broad', 'wide'] as const)
        expect(outputOf(session).text).toBe(stripVTControlCharacters(outputOf(session).text));
      const { text } = outputOf('usual');
      if (/^(?:no |done\n)/.test(text)) expect(text).toBe(stripVTControlCharacters(text));
      else expect(text).not.toBe(stripVTControlCharacters(text));
    });
  },
);

describe('commands that go on, on a terminal', () => {
  const onTerminal = (words: string, before = 'exec'): ShellProcess =>
    new ShellProcess(
      `script -qec 'stty cols 80; ${before} "${process.execPath}" ${MSG_BIN} ${words}' /dev/null`,
      {
        cwd: home,
        env: cleanEnv({ TERM: 'xterm', NO_COLOR: '1', FORCE_COLOR: undefined }),
      },
    );

  it('subscribe shows time, offset and data of each publication, one line each', async () => {
    await service.msg.channels.openPublic('public:cli.news');
    const shell = onTerminal(`subscribe public:cli.news --server ${service.url}`);
    try {
      await eventually('a listener', async () => (await service.msg.presence('public:cli.news')) === 1);
      await service.msg.publish('public:cli.news', { text: 'hello' });
      await service.msg.publish('public:cli.news', 'two');
      await shell.printed('stdout', /2 {2}two\r\n/);
      expect(shell.stdout.replaceAll('\r', '')).toMatch(
        /^\d\d:\d\d:\d\d\.\d{3}Z {2}1 {2}\{"text":"hello"\}\n\d\d:\d\d:\d\d\.\d{3}Z {2}2 {2}two\n$/,
      );
    } finally {
      await shell.stop();
    }
  });

  it('append shows where the message is when its input has ended', async () => {
    const words = `append public:cli.log --message m-2 --server ${service.url} --token ${facts['token']}`;
    const shell = onTerminal(words, 'printf hello |');
    try {
      await shell.printed('stdout', /message +m-2\r\n/);
      await shell.printed('stdout', /status +complete\r\n/);
    } finally {
      await shell.stop();
    }
  });

  it('serve says where it listens, with a token to copy', async () => {
    const shell = onTerminal('serve --addr 127.0.0.1:0');
    try {
      await shell.printed('stdout', / INFO {2}listening addr=127\.0\.0\.1:\d+ .*\r\n/);
      expect(shell.stdout).toMatch(
        /^msg serve: bootstrap mgmt token \(expires [^)]+\):\r\n[\w-]+\.[\w-]+\.[\w-]+\r\n/,
      );
    } finally {
      await shell.stop();
    }
  });
});
