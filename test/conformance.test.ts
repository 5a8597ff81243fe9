import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Centrifuge } from 'centrifuge';
import { SignJWT } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { Harness } from '../conformance/src/harness/server.ts';
import { SECRET } from '../conformance/src/harness/tokens.ts';
import { requirePortFree } from '../conformance/src/harness-process.ts';
import { suitesPart, withPart } from '../conformance/src/page.ts';
import { CutProxy } from '../conformance/src/releases/cut-proxy.ts';
import type { Program } from '../conformance/src/releases/language.ts';
import type { MatrixRow } from '../conformance/src/releases/matrix.ts';
import { runSession } from '../conformance/src/releases/session.ts';
import { STEPS } from '../conformance/src/releases/steps.ts';
import { releasesPart, rowLine } from '../conformance/src/releases/table.ts';
import { readScope } from '../conformance/src/scope.ts';
import { goResults } from '../conformance/src/suites/go.ts';
import { jsonReportResults } from '../conformance/src/suites/js.ts';
import { jsonLines } from '../conformance/src/suites/suite.ts';

describe('the conformance runner', () => {
  test('reads what the Go tool reports; a skipped test is a failure', () => {
    const lines = [
      { Action: 'run', Test: 'TestA' },
      { Action: 'pass', Test: 'TestA' },
      { Action: 'output', Test: 'TestB', Output: 'boom\n' },
      { Action: 'fail', Test: 'TestB' },
      { Action: 'skip', Test: 'TestC' },
      { Action: 'fail' },
    ];
    const text = `${lines.map(line => JSON.stringify(line)).join('\n')}\nexit status 1\n`;
    expect(goResults(text)).toEqual([
      { name: 'TestA', outcome: 'passed', detail: '' },
      { name: 'TestB', outcome: 'failed', detail: 'boom\n' },
      { name: 'TestC', outcome: 'failed', detail: 'skip' },
    ]);
  });

  test('reads what jest and vitest report; a file without tests is a failure', () => {
    const report = {
      testResults: [
        {
          assertionResults: [
            { fullName: 'a', status: 'passed' },
            { fullName: 'b', status: 'failed', failureMessages: ['boom'] },
            { fullName: 'c', status: 'pending' },
          ],
        },
        { message: 'does not compile', assertionResults: [] },
      ],
    };
    expect(jsonReportResults(JSON.stringify(report))).toEqual([
      { name: 'a', outcome: 'passed', detail: '' },
      { name: 'b', outcome: 'failed', detail: 'boom' },
      { name: '(a file)', outcome: 'failed', detail: 'does not compile' },
    ]);
  });

  test('a test is out of scope for a reason only', () => {
    const folder = mkdtempSync(join(tmpdir(), 'msg-scope-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'scope.txt');
    writeFileSync(path, '# comment\n\nmap: a test | map subscriptions\n');
    expect(readScope(path)).toEqual([{ test: 'map: a test', reason: 'map subscriptions' }]);
    writeFileSync(path, 'map: a test\n');
    expect(() => readScope(path)).toThrow('no reason given');
  });

  test('says when the port of the suites is taken', async () => {
    const server = createServer();
    onTestFinished(() => void server.close());
    // Somebody else may have it: that is what the message is for, too.
    await new Promise<void>(resolve => {
      server.once('error', () => resolve());
      server.listen(8000, '127.0.0.1', resolve);
    });
    await expect(requirePortFree()).rejects.toThrow('port 8000 is taken');
  });

  test('the page counts tests by feature and way', () => {
    const passed = (name: string) => ({ name, outcome: 'passed' as const, detail: '' });
    const results = [passed('websocket publishes and receives'), passed('sse deltas decode')];
    const run = { suite: 'js', client: 'js 1', server: 'one node', results, outOfScope: [] };
    const page = suitesPart([run]);
    expect(page).toContain('| publish and receive | 1 | – | – | – | – |');
    expect(page).toContain('| delta compression | – | – | – | – | 1 |');
  });

  test('reads reports of one JSON line per test', () => {
    const line = { name: 'A.b', outcome: 'failed', detail: 'boom' };
    expect(jsonLines(`${JSON.stringify(line)}\n`)).toEqual([line]);
  });
});

describe('sessions of released clients', () => {
  const PROGRAM = new URL('../conformance/programs/javascript/program.ts', import.meta.url).pathname;
  const ROOT = new URL('..', import.meta.url).pathname;
  const STOCK: Program = { command: process.execPath, args: [PROGRAM, ROOT, 'centrifuge'] };

  const printing = (...lines: string[]): Program => ({
    command: process.execPath,
    args: ['-e', lines.map(line => `console.log(${JSON.stringify(line)});`).join(''), '--'],
  });

  async function served(): Promise<Harness> {
    const harness = await Harness.start('releases', { port: 0 });
    onTestFinished(() => harness.stop());
    return harness;
  }

  test.each(['json', 'protobuf'] as const)('the stock client passes every step over %s', async encoding => {
    const { port } = await served();
    const result = await runSession(STOCK, encoding, port);
    expect(result).toEqual({ passed: STEPS.map(({ name }) => name), failure: '' });
  });

  test('a server without presence fails the step that needs it', async () => {
    const harness = await Harness.start('go', { port: 0 });
    onTestFinished(() => harness.stop());
    const { passed, failure } = await runSession(STOCK, 'json', harness.port);
    expect(passed).toEqual(['connect', 'subscribe', 'receive', 'publish', 'history']);
    expect(failure).toContain('presence: the program ended with 1');
  });

  test('the server of the sessions demands both tokens', async () => {
    const { port } = await served();
    const url = `ws://127.0.0.1:${port}/connection/websocket`;
    const anonymous = new Centrifuge(url, { websocket: WebSocket });
    const refused = Promise.withResolvers<{ code: number }>();
    anonymous.once('disconnected', refused.resolve);
    anonymous.connect();
    expect((await refused.promise).code).toBe(3500);

    const token = await new SignJWT({ sub: '42' }).setProtectedHeader({ alg: 'HS256' }).sign(SECRET);
    const known = new Centrifuge(url, { websocket: WebSocket, token });
    onTestFinished(() => known.disconnect());
    const subscription = known.newSubscription('channel');
    const denied = Promise.withResolvers<{ code: number }>();
    subscription.once('unsubscribed', denied.resolve);
    subscription.subscribe();
    known.connect();
    expect((await denied.promise).code).toBe(103);
  });

  test('what a program prints is judged, and so is how it ends', async () => {
    const { port } = await served();
    const wrong = await runSession(printing('connect', 'subscribe', 'receive 7'), 'json', port);
    expect(wrong).toEqual({
      passed: ['connect', 'subscribe'],
      failure: 'receive: expected "receive 1"; got "receive 7"',
    });
    const early = await runSession(printing('connect'), 'json', port);
    expect(early.failure).toBe('subscribe with token: the program ended with 0');
    const lines = STEPS.map(({ name, expected }) => `${name} ${expected}`);
    const more = await runSession(printing(...lines, 'recovery recovered 5'), 'json', port);
    expect(more.failure).toBe('printed after the last step: recovery recovered 5');
    const none = await runSession({ command: '/nowhere/program', args: [] }, 'json', port);
    expect(none.failure).toContain('ENOENT');
  });

  test('a cut resets connections, and no connection gets through until it is mended', async () => {
    const { port } = await served();
    const proxy = await CutProxy.start(port);
    onTestFinished(() => proxy.stop());
    const url = `http://127.0.0.1:${proxy.port}/health`;
    const open = connect(proxy.port, '127.0.0.1');
    const closed = once(open, 'close').catch(String);
    expect((await fetch(url)).status).toBe(200);
    proxy.cut();
    expect(await closed).toContain('ECONNRESET');
    await expect(fetch(url)).rejects.toThrow();
    proxy.mend();
    expect((await fetch(url)).status).toBe(200);
  });

  const row: MatrixRow = {
    language: 'Go',
    client: 'centrifuge-go',
    release: '0.9.0',
    notRun: '',
    results: new Map([
      ['json', { passed: STEPS.map(({ name }) => name), failure: '' }],
      ['protobuf', { passed: ['connect'], failure: 'subscribe: no' }],
    ]),
  };

  test('a row tells each step and encoding, or why it was not run', () => {
    expect(rowLine(row)).toBe('| Go centrifuge-go 0.9.0 | J P | J | J | J | J | J | J |');
    const missing = { ...row, release: undefined, results: new Map(), notRun: 'Go is not installed' };
    expect(rowLine(missing)).toBe('| Go centrifuge-go | not run: Go is not installed |  |  |  |  |  |  |');
  });

  test('the two parts of the page are written apart', () => {
    const suites = suitesPart([]);
    const releases = releasesPart([row]);
    const page = withPart(withPart('', suites), releases);
    expect(page).toBe(suites + releases);
    expect(withPart(page, suites)).toBe(page);
    expect(withPart(page, releasesPart([]))).toBe(suites + releasesPart([]));
  });
});
