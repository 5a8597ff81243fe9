import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CODE_ADVICE, remedyOf, SITUATIONS, type SituationName } from '@msg/core/advice';
import { freePort, localhostCertificate } from '@msg/testkit';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { withSituation } from '#src/cli/call-situation.ts';
import { stateDirectoryError } from '#src/config/directory.ts';
import { runCli } from '../support/cli-io.ts';
import { type Embedded, embed, stopEmbedded } from '../support/embedded.ts';
import { errorLines } from '../support/error-lines.ts';
import { temporaryFolder } from '../support/folders.ts';

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  }
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port; // a bound TCP server has one
}

const answering = (listener: RequestListener) => portOf(createServer(listener));

/** Runs a command that fails; answers its error with remedy and page. */
async function failing(line: readonly string[], env: Record<string, string> = {}) {
  const { code, stdout, stderr } = await runCli(line, { env });
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  return errorLines(stderr);
}

describe('a token that is refused', () => {
  let service: Embedded;
  let env: Record<string, string>;
  let access: string;

  beforeAll(async () => {
    service = await embed({});
    env = { MSG_SERVER: service.url, MSG_TOKEN: service.msg.tokens.issueManagement().token };
    access = (await service.msg.channels.createPrivate({ name: 'private:shop.order.1' })).access_token;
  });
  afterAll(stopEmbedded);

  const list = (token: string) => failing(['channels', 'list'], { ...env, MSG_TOKEN: token });

  it('that was not given is asked for', async () => {
    expect(await list('')).toEqual({
      error: 'error: MSG_AUTH_DENIED: missing bearer token',
      tries: SITUATIONS.tokenMissing.remedy,
      sees: 'docs/troubleshooting.md#MSG_AUTH_DENIED',
    });
  });

  it('that another server signed speaks of the state directory', async () => {
    const other = await embed({});
    const { error, tries } = await list(other.msg.tokens.issueManagement().token);
    expect(error).toBe('error: MSG_AUTH_DENIED: token signature is invalid');
    expect(tries).toMatch(/--state-dir/);
  });

  it('that is garbage is to be copied as a whole', async () => {
    const { error, tries } = await list('nonsense');
    expect(error).toBe('error: MSG_AUTH_DENIED: token is malformed');
    expect(tries).toMatch(/^copy the whole token/);
  });

  it('that expired is to be made anew', async () => {
    const { token } = service.msg.tokens.issueManagement();
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    const old = Buffer.from(JSON.stringify({ ...claims, exp: 1 })).toString('base64url');
    const refused = await list([token.split('.')[0], old, token.split('.')[2]].join('.'));
    expect(refused.tries).toBe(SITUATIONS.tokenExpired.remedy);
  });

  it('of another type is named, with the type that is needed', async () => {
    const { error, tries } = await list(access);
    expect(error).toBe('error: MSG_AUTH_DENIED: token type mismatch');
    expect(tries).toBe('this is an access token; the command needs a management token');
    const subscribe = ['subscribe', 'private:shop.order.1', '--server', service.url];
    expect((await failing([...subscribe, '--token', env['MSG_TOKEN'] ?? ''])).tries).toBe(
      'this is a management token; the command needs an access token',
    );
    expect((await failing(subscribe)).tries).toBe(SITUATIONS.accessTokenMissing.remedy);
  });

  it.each([
    ['public:shop.none', 'msg channels open public:shop.none'],
    ['private:shop.order.9', 'msg channels create private:shop.order.9'],
  ])('an unknown channel %s: the line that opens it', async (channel, line) => {
    const { error, tries } = await failing(['channels', 'get', channel], env);
    expect(error).toMatch(/^error: MSG_CHANNEL_NOT_FOUND: /);
    expect(tries).toBe(line);
    const publish = await failing(['publish', channel, '-d', 'x'], env);
    expect(publish.tries).toBe(line);
  });

  it('a schema that does not exist is not taken for a channel', async () => {
    const { tries } = await failing(['schemas', 'get', 'public:shop.none'], env);
    expect(tries).toBe(SITUATIONS.schemaUnknown.remedy);
  });
});

describe('a server that does not answer', () => {
  it('because nothing listens', async () => {
    const server = `http://127.0.0.1:${await freePort()}`;
    expect(await failing(['channels', 'list'], { MSG_SERVER: `${server}/` })).toMatchObject({
      error: `error: MSG_BROKER_NOT_READY: no answer from ${server}: connection refused`,
      tries: expect.stringMatching(/^start the server/),
    });
  });

  it('because its host is unknown', async () => {
    expect(await failing(['channels', 'list'], { MSG_SERVER: 'http://nowhere.invalid' })).toMatchObject({
      error: 'error: MSG_BROKER_NOT_READY: no answer from http://nowhere.invalid: the host name is unknown',
      tries: expect.stringMatching(/^correct the host name/),
    });
  });

  it('because its certificate is not trusted', async () => {
    const { cert, key } = localhostCertificate();
    const port = await portOf(createTlsServer({ cert, key }, (_request, response) => response.end('{}')));
    const { error, tries } = await failing(['manifest'], { MSG_SERVER: `https://localhost:${port}` });
    expect(error).toMatch(/^error: MSG_BROKER_NOT_READY: .*: its certificate is refused: [A-Z_]+$/);
    expect(tries).toMatch(/NODE_EXTRA_CA_CERTS/);
  });

  it('in time', async () => {
    const port = await answering(() => {}); // takes the request and keeps it
    const server = `http://127.0.0.1:${port}`;
    const fetch: typeof globalThis.fetch = (url, init) =>
      globalThis.fetch(url, { ...init, signal: AbortSignal.timeout(50) });
    const { stderr } = await runCli(['manifest'], { env: { MSG_SERVER: server }, fetch });
    expect(errorLines(stderr)).toMatchObject({
      error: `error: MSG_BROKER_NOT_READY: no answer from ${server}: it did not answer in time`,
      tries: `ask ${server}/readyz what the server waits for, or try another node`,
    });
  });
});

describe('an argument', () => {
  it.each([
    ['localhost:8000', 'MSG_SERVER=http://localhost:8000'],
    ['example.com', 'MSG_SERVER=http://example.com'],
    ['ws://example.com:1', 'MSG_SERVER=http://example.com:1'],
  ])('MSG_SERVER=%s lacks the scheme', async (server, meant) => {
    const { error, tries } = await failing(['channels', 'list'], { MSG_SERVER: server });
    expect(error).toMatch(
      /^error: MSG_INVALID_ARGUMENT: MSG_SERVER must be an http: or https: address; got /,
    );
    expect(tries).toBe(meant);
  });

  it.each([
    ['300', '--ttl 300s'],
    ['7d', '--ttl 168h (h is the largest unit)'],
    ['2w', '--ttl 336h (h is the largest unit)'],
  ])('--ttl %s has no unit that exists', async (ttl, meant) => {
    const { tries } = await failing(['channels', 'open', 'public:shop.news', '--ttl', ttl]);
    expect(tries).toBe(meant);
  });

  it('that is not a duration has no suggestion', async () => {
    const { tries } = await failing(['channels', 'open', 'public:shop.news', '--ttl', 'soon']);
    expect(tries).toBe('msg channels open --help');
  });

  it.each([
    [['publish', 'public:shop.news'], 'msg publish --help'],
    [['completion', 'tcsh'], 'msg completion --help'],
    [['api-keys', 'new', 'Bad Name'], 'msg api-keys new --help'],
    [['tokens', 'inspect', 'abc'], 'msg tokens inspect --help'],
  ])('%j is wrong: the help of the command says how it is right', async (line, remedy) => {
    expect((await failing(line)).tries).toBe(remedy);
  });

  it('of a file or a start is corrected where the message says', async () => {
    const path = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(path, 'server:\n  ping: { interval: 1s, timeout: 2s }\n');
    for (const line of [
      ['config', 'check', path],
      ['serve', '--config', path],
    ])
      expect((await failing(line)).tries).toBe(CODE_ADVICE.MSG_INVALID_ARGUMENT.remedy);
  });

  it('addr: 8000 in a file lacks its colon', async () => {
    const path = join(await temporaryFolder(), 'msg.yaml');
    await writeFile(path, 'server:\n  addr: 8000\n');
    const { error, tries } = await failing(['serve', '--config', path]);
    expect(error).toBe(
      `error: MSG_INVALID_ARGUMENT: server.addr must be host:port such as :8000 or 127.0.0.1:8000; got "8000" (${path}:2)`,
    );
    expect(tries).toBe('addr: ":8000"');
    expect((await failing(['serve', '--addr', 'http://localhost:8000'])).tries).toBe('--addr localhost:8000');
  });

  it('names a file that cannot be read, with the reason', async () => {
    const folder = await temporaryFolder();
    const none = join(folder, 'none');
    expect(await failing(['publish', 'public:shop.news', '--file', none])).toMatchObject({
      error: `error: MSG_INVALID_ARGUMENT: ${none} cannot be read: no such file`,
      tries: SITUATIONS.fileMissing.remedy,
    });
    expect(await failing(['schemas', 'register', '--file', folder])).toMatchObject({
      error: `error: MSG_INVALID_ARGUMENT: ${folder} cannot be read: it is a directory`,
      tries: SITUATIONS.fileIsDirectory.remedy,
    });
    expect((await failing(['serve', '--config', none])).tries).toBe(SITUATIONS.fileMissing.remedy);
  });

  it.each([
    [['publish', 'public:shop.news', '-d', 'x', '-f', '/dev/null']],
    [['keys', 'export', '--state-dir', '/tmp', '--redis-addr', '127.0.0.1:1']],
    [['keys', 'import', 'one.json', '--in', 'other.json', '--state-dir', '/tmp']],
  ])('%j has two sources', async line => {
    expect((await failing(line)).tries).toBe(SITUATIONS.twoSources.remedy);
  });

  it('that does not exist leads to the help of its command', async () => {
    expect((await failing(['channels', 'list', '--nonsense'])).tries).toBe('msg channels list --help');
    expect((await failing(['channels', 'nonsense'])).tries).toBe('msg channels --help');
    expect((await failing(['channels', 'lst'])).tries).toBe('msg channels list --help');
    expect((await failing([])).tries).toBe('msg --help');
    for (const word of ['version', 'help']) expect((await failing([word])).tries).toBe(`msg --${word}`);
  });
});

describe('a state directory', () => {
  it('that is a file', async () => {
    const path = join(await temporaryFolder(), 'file');
    await writeFile(path, '');
    for (const stateDir of [path, join(path, 'below')])
      expect((await failing(['serve', '--addr', ':0', '--state-dir', stateDir])).tries).toBe(
        SITUATIONS.stateDirIsFile.remedy,
      );
  });

  it.each([
    ['EACCES', 'MSG_INVALID_ARGUMENT', 'stateDirDenied'],
    ['EROFS', 'MSG_INVALID_ARGUMENT', 'stateDirReadOnly'],
    ['ENOSPC', 'MSG_INVALID_ARGUMENT', 'stateDirFull'],
    ['EDQUOT', 'MSG_INVALID_ARGUMENT', 'stateDirFull'],
    ['EIO', 'MSG_INTERNAL', undefined],
  ])('whose failure is %s', (failure, code, name) => {
    const error = stateDirectoryError('text', Object.assign(new Error(failure), { code: failure }));
    expect([error.code, error.situation?.name]).toEqual([code, name]);
  });

  it('with a broken keyring names its path and the runbook', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'keyring.json');
    await mkdir(folder, { recursive: true });
    await writeFile(path, '{');
    const { error, tries, sees } = await failing(['serve', '--addr', ':0', '--state-dir', folder]);
    expect(error).toContain(path);
    expect(tries).toContain(`restore ${path} from a backup`);
    expect(sees).toBe('docs/keys-runbook.md');
  });
});

describe('remedies', () => {
  const named = Object.entries(SITUATIONS);

  it.each([...named, ...Object.entries(CODE_ADVICE)])('%s is one line without a full stop', (_name, row) => {
    expect(row.remedy).toMatch(/^[^\n]+[^.\n]$/);
    expect(row.cause).toMatch(/\.$/);
  });

  it.each(named)('%s has a value for each of its places', (name, { remedy }) => {
    const places = [...remedy.matchAll(/\{(\w+)\}/g)].map(([, place = '']) => place);
    const values = Object.fromEntries(places.map(place => [place, 'x']));
    expect(remedyOf({ name: name as SituationName, values })).not.toMatch(/[{}]/);
  });

  it('an error that is known already keeps its situation', () => {
    const plain = new Error('other');
    const call = { server: '', token: '', needs: ['mgmt'] as const, channel: '', now: 0 };
    expect(withSituation(plain, call)).toBe(plain);
  });
});

describe('msg errors', () => {
  it('lists every code, and shows one with its situations', async () => {
    const all = (await runCli(['errors'])).envelope;
    expect(all?.type).toBe('msg.errors.list');
    const rows = all?.payload['errors'] as readonly { code: string; remedy: string }[]; // as errors.ts makes it
    expect(rows.map(({ code }) => code)).toEqual(Object.keys(CODE_ADVICE));
    const one = (await runCli(['errors', 'auth_denied'])).envelope;
    expect(one).toMatchObject({
      type: 'msg.errors.get',
      payload: {
        code: 'MSG_AUTH_DENIED',
        status: 403,
        retryable: false,
        page: 'docs/troubleshooting.md#MSG_AUTH_DENIED',
      },
    });
    expect(one?.payload['situations']).toContainEqual({
      cause: SITUATIONS.tokenGarbage.cause,
      remedy: SITUATIONS.tokenGarbage.remedy,
    });
    expect(JSON.stringify(one)).not.toMatch(/\]\(/);
  });

  it('a code that does not exist gets the nearest', async () => {
    expect((await failing(['errors', 'MSG_AUTH_DENIES'])).error).toMatch(/did you mean MSG_AUTH_DENIED\?$/);
    expect((await failing(['errors', 'x'])).error).toMatch(/known: MSG_CHANNEL_INVALID, /);
  });
});
