import { chmodSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun, run, versionOf } from '../process.ts';
import type { Suite, TestResult } from './suite.ts';

export const GO_CLIENT = { module: 'github.com/centrifugal/centrifuge-go', version: 'v0.12.0' };
/** What the module asks for. */
const NEEDED = [1, 25] as const;

interface Event {
  readonly Action: string;
  readonly Test?: string;
  readonly Output?: string;
}

function isNewEnough(version: string): boolean {
  const [, major = '0', minor = '0'] = /go(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > NEEDED[0] || (Number(major) === NEEDED[0] && Number(minor) >= NEEDED[1]);
}

/** What this machine lacks to build the client; `undefined`: nothing. */
export function missingGo(): string | undefined {
  const version = versionOf('go', 'version');
  const wanted = `Go ${NEEDED.join('.')} or newer`;
  if (version === undefined) return `${wanted} is not installed`;
  return isNewEnough(version) ? undefined : `${wanted} is needed, this is ${version}`;
}

/** The results in what `go test -json` wrote. */
export function goResults(stdout: string): TestResult[] {
  const output = new Map<string, string>();
  const results: TestResult[] = [];
  for (const line of stdout.split('\n').filter(text => text.startsWith('{'))) {
    const { Action, Test, Output = '' } = JSON.parse(line) as Event;
    if (Test === undefined) continue;
    if (Action === 'output') output.set(Test, (output.get(Test) ?? '') + Output);
    if (Action === 'pass') results.push({ name: Test, outcome: 'passed', detail: '' });
    if (Action === 'fail' || Action === 'skip') {
      results.push({ name: Test, outcome: 'failed', detail: output.get(Test) ?? Action });
    }
  }
  return results;
}

/** The tests of the Go client, which its published module carries; or those of a checkout. */
export class GoSuite implements Suite {
  readonly name = 'go';
  readonly client: string;
  readonly profile = 'go';
  readonly scope = 'go';
  readonly #checkout: string | undefined;
  #folder: string | undefined;

  constructor(checkout?: string) {
    this.#checkout = checkout;
    this.client = `centrifuge-go ${checkout === undefined ? GO_CLIENT.version : 'checkout'}`;
  }

  missing(): readonly string[] {
    const missing = missingGo();
    return missing === undefined ? [] : [missing];
  }

  async prepare(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-conformance-go-'));
    this.#folder = folder;
    cpSync(this.#checkout ?? (await this.#download()), folder, { recursive: true });
    chmodTree(folder);
    // Builds what the tests need, so that the server does not wait for a compiler.
    await mustRun('go', ['test', '-count=1', '-run', '^$', '.'], { cwd: folder });
  }

  async #download(): Promise<string> {
    const { module, version } = GO_CLIENT;
    const { stdout } = await mustRun('go', ['mod', 'download', '-json', `${module}@${version}`], {
      cwd: tmpdir(),
    });
    return (JSON.parse(stdout) as { Dir: string }).Dir;
  }

  async run(skip: readonly string[]): Promise<readonly TestResult[]> {
    const skipped = skip.length === 0 ? [] : ['-skip', `^(${skip.join('|')})$`];
    const args = ['test', '-count=1', '-json', '-timeout=240s', ...skipped, '.'];
    const { stdout, stderr, status } = await run('go', args, { cwd: this.#folder ?? '' });
    const results = goResults(stdout);
    const { stdout: listed } = await mustRun('go', ['test', '-list', '.', '.'], { cwd: this.#folder ?? '' });
    const tests = listed.split('\n');
    for (const name of skip.filter(each => !tests.includes(each))) {
      results.push({ name, outcome: 'failed', detail: 'named as out of scope, but not there' });
    }
    // A panic or a time-out ends the run without a result of its own.
    if (status !== 0 && results.every(result => result.outcome === 'passed')) {
      results.push({
        name: '(the run itself)',
        outcome: 'failed',
        detail: `${stdout}${stderr}`.slice(-4000),
      });
    }
    return results;
  }

  /** Removes the copy. */
  dispose(): void {
    if (this.#folder !== undefined) rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Modules are stored read-only. */
function chmodTree(folder: string): void {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) chmodTree(path);
    else chmodSync(path, 0o644);
  }
}
