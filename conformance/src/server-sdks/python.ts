import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { mustRun, run } from '../process.ts';
import { missingPython } from '../suites/python.ts';
import { jsonLines, type TestResult } from '../suites/suite.ts';
import type { ApiTarget, ServerSdk } from './sdk.ts';

const VERSION = '5.2.0';
const CASES = new URL('../../programs/server-sdks/cases.py', import.meta.url).pathname;
const PAGE = new URL('../../../docs/server-sdks.md', import.meta.url);
const TIMEOUT_MS = 120_000;

/**
 * The published client of Python, synchronous and asynchronous. Its source distribution carries no tests: its cases stand
 * in `cases.py` under their names. With a checkout, the tests of that tree with the package of that tree.
 */
export class PythonSdk implements ServerSdk {
  readonly name = 'python';
  readonly title: string;
  readonly how: string;
  readonly leftOut = 'GRPC: the service has no such API; the package has no such client any more';
  readonly #checkout: string | undefined;
  #python = '';

  constructor(checkout?: string) {
    this.#checkout = checkout === undefined ? undefined : resolve(checkout);
    this.title = `Python cent ${checkout === undefined ? VERSION : 'checkout'}`;
    this.how =
      checkout === undefined
        ? 'the published package; the cases of its suite under their names'
        : 'its own suite';
  }

  missing = missingPython;

  async prepare(folder: string): Promise<void> {
    const environment = join(folder, 'python');
    this.#python = join(environment, 'bin', 'python');
    const packages =
      this.#checkout === undefined
        ? [`cent==${VERSION}`]
        : [this.#checkout, 'pytest', 'anyio', 'pytest-asyncio'];
    if (!existsSync(environment)) await mustRun('python3', ['-m', 'venv', environment]);
    await mustRun(this.#python, ['-m', 'pip', 'install', '-q', ...packages]);
  }

  async run(target: ApiTarget): Promise<readonly TestResult[]> {
    return this.#checkout === undefined ? this.#runCases(target) : this.#runOwn(this.#checkout);
  }

  async #runCases({ url, key }: ApiTarget): Promise<readonly TestResult[]> {
    const done = await run(this.#python, [CASES, url, key], { timeoutMs: TIMEOUT_MS });
    const results = [...jsonLines(done.stdout), await this.#runPage({ url, key })];
    if (done.status === 0 && results.length > 1) return results;
    return [...results, { name: '(the run itself)', outcome: 'failed', detail: done.stderr.slice(-4000) }];
  }

  /** Runs the program of the page as it stands, but for the address. */
  async #runPage({ url, key }: ApiTarget): Promise<TestResult> {
    const [, program = ''] = /^```python [^\n]*\n([\s\S]*?)^```$/m.exec(readFileSync(PAGE, 'utf8')) ?? [];
    const text = program.replace('http://localhost:8000/api', url);
    const options = { env: { MSG_API_KEY: key }, timeoutMs: TIMEOUT_MS };
    const { stdout, stderr } = await run(this.#python, ['-c', text], options);
    const name = 'the program of docs/server-sdks.md';
    const hasPublished = /^published at offset \d+\n$/.test(stdout);
    return { name, outcome: hasPublished ? 'passed' : 'failed', detail: hasPublished ? '' : stdout + stderr };
  }

  /** The address and the key of its suite are its own: port 8000, `api_key`. */
  async #runOwn(cwd: string): Promise<readonly TestResult[]> {
    const args = ['-m', 'pytest', '-rA', '-q', '--no-header', '-p', 'no:cacheprovider', 'tests'];
    const { stdout, stderr } = await run(this.#python, args, { cwd, timeoutMs: TIMEOUT_MS });
    return pytestResults(stdout, stderr);
  }
}

/** The results in what pytest prints with `-rA`. */
export function pytestResults(stdout: string, stderr: string): TestResult[] {
  const lines = [...stdout.matchAll(/^(PASSED|FAILED|ERROR|SKIPPED) (\S+)(?: - (.*))?$/gm)];
  const results = lines.map(
    ([, outcome, name = '', detail = '']): TestResult => ({
      name,
      outcome: outcome === 'PASSED' ? 'passed' : 'failed',
      detail: outcome === 'PASSED' ? '' : detail,
    }),
  );
  if (results.length > 0) return results;
  return [{ name: '(the run itself)', outcome: 'failed', detail: `${stdout}${stderr}`.slice(-4000) }];
}
