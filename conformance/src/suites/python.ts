import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mustRun, run, versionOf } from '../process.ts';
import { jsonLines, type Suite, type TestResult } from './suite.ts';

export const PYTHON_CLIENT = { package: 'centrifuge-python', version: '0.7.0' };
const NEEDED_MINOR = 10;
const RUNNER = new URL('./unittest_report.py', import.meta.url).pathname;
const TIMEOUT_MS = 240_000;

/** What this machine lacks to install the client; `undefined`: nothing. */
export function missingPython(): string | undefined {
  const version = versionOf('python3', '--version');
  if (version === undefined) return 'Python 3 is not installed: apt-get install -y python3-venv';
  const minor = Number(/^Python 3\.(\d+)/.exec(version)?.[1] ?? 0);
  if (minor < NEEDED_MINOR) return `Python 3.${NEEDED_MINOR} or newer is needed, this is ${version}`;
  if (versionOf('python3', '-c', 'import ensurepip, venv') !== undefined) return undefined;
  return 'the venv module of Python is not installed: apt-get install -y python3-venv';
}

/** The tests of the Python client, which its source distribution carries; or those of a checkout. */
export class PythonSuite implements Suite {
  readonly name = 'python';
  readonly client: string;
  readonly profile = 'python';
  readonly scope = 'python';
  readonly #checkout: string | undefined;
  readonly #folder = mkdtempSync(join(tmpdir(), 'msg-conformance-python-'));
  #source = '';

  constructor(checkout?: string) {
    this.#checkout = checkout;
    this.client = `${PYTHON_CLIENT.package} ${checkout === undefined ? PYTHON_CLIENT.version : 'checkout'}`;
  }

  missing(): readonly string[] {
    const missing = missingPython();
    return missing === undefined ? [] : [missing];
  }

  async prepare(): Promise<void> {
    const environment = join(this.#folder, 'venv');
    await mustRun('python3', ['-m', 'venv', environment]);
    this.#source = this.#checkout ?? (await this.#download());
    // Only for its dependencies: the tests import the client of their own tree.
    await mustRun(this.#python, ['-m', 'pip', 'install', '-q', this.#source]);
  }

  get #python(): string {
    return join(this.#folder, 'venv', 'bin', 'python');
  }

  async #download(): Promise<string> {
    const { package: name, version } = PYTHON_CLIENT;
    const wanted = `${name}==${version}`;
    const args = ['download', '-q', '--no-deps', '--no-binary', name, '-d', this.#folder, wanted];
    await mustRun(this.#python, ['-m', 'pip', ...args]);
    const archive = readdirSync(this.#folder).find(file => file.endsWith('.tar.gz')) ?? '';
    await mustRun('tar', ['xzf', archive], { cwd: this.#folder });
    return join(this.#folder, archive.slice(0, -'.tar.gz'.length));
  }

  async run(skip: readonly string[]): Promise<readonly TestResult[]> {
    const report = join(this.#folder, 'report');
    rmSync(report, { force: true });
    const options = { cwd: this.#source, timeoutMs: TIMEOUT_MS };
    const { status, stderr } = await run(this.#python, [RUNNER, report, ...skip], options);
    const results = existsSync(report) ? jsonLines(readFileSync(report, 'utf8')) : [];
    if (status === 0 && results.length > 0) return results;
    const detail = `${status === null ? 'did not end' : `ended with ${status}`}\n${stderr.slice(-4000)}`;
    return [...results, { name: '(the run itself)', outcome: 'failed', detail }];
  }

  /** Removes environment and sources. */
  dispose(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
