import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { requirePortFree } from '../conformance/src/harness-process.ts';
import { conformancePage } from '../conformance/src/page.ts';
import { readScope } from '../conformance/src/scope.ts';
import { goResults } from '../conformance/src/suites/go.ts';
import { jsonReportResults } from '../conformance/src/suites/js.ts';

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
    const page = conformancePage([run]);
    expect(page).toContain('| publish and receive | 1 | – | – | – | – |');
    expect(page).toContain('| delta compression | – | – | – | – | 1 |');
  });
});
