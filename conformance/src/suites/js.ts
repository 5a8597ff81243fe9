import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '../process.ts';
import type { Suite, TestResult } from './suite.ts';

/** Lines of the published client, and the names of their packages here. */
export const JS_CLIENTS = { '5.7.4': 'centrifuge-5.7.4', '5.8.0': 'centrifuge' } as const;
export type JsVersion = keyof typeof JS_CLIENTS;

const ROOT = new URL('../../../', import.meta.url).pathname;
const TIMEOUT_MS = 300_000;

/** The part of a test runner's JSON report that counts; vitest and jest write the same. */
interface Report {
  readonly testResults: readonly {
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

/** Names of the tests in a JSON report of vitest or jest, those that were left out included. */
export function namesInReport(text: string): string[] {
  const { testResults } = JSON.parse(text) as Report;
  return testResults.flatMap(({ assertionResults }) => assertionResults.map(({ fullName }) => fullName));
}

/** The failure of a run whose scope names a test that is not there. */
export function namedInVain(name: string): TestResult {
  return failed(name, 'named as out of scope, but not there');
}

/** The results in a JSON report of vitest or jest; tests that the suite itself leaves out are not among them. */
export function jsonReportResults(text: string): TestResult[] {
  const { testResults } = JSON.parse(text) as Report;
  return testResults.flatMap(({ assertionResults, message = '' }) => {
    if (assertionResults.length === 0) return [failed('(a file)', message)];
    return assertionResults
      .filter(({ status }) => status === 'passed' || status === 'failed')
      .map(({ fullName, status, failureMessages }) => {
        if (status === 'passed') return { name: fullName, outcome: 'passed' as const, detail: '' };
        return failed(fullName, failureMessages?.join('\n') ?? '');
      });
  });
}

function failed(name: string, detail: string): TestResult {
  return { name, outcome: 'failed', detail };
}

interface ReportOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** Tests that are not run, but must be there. */
  readonly leftOut?: readonly string[];
}

abstract class ReportingSuite implements Suite {
  readonly name = 'js';
  abstract readonly client: string;
  readonly profile = 'js';
  readonly scope: string | null = null;

  missing(): readonly string[] {
    return [];
  }

  async prepare(): Promise<void> {}

  dispose(): void {}

  abstract run(skip: readonly string[]): Promise<readonly TestResult[]>;

  protected async report(
    program: string,
    args: (file: string) => readonly string[],
    cwd: string,
    { env = {}, leftOut = [] }: ReportOptions = {},
  ): Promise<readonly TestResult[]> {
    const folder = mkdtempSync(join(tmpdir(), 'msg-conformance-js-'));
    const file = join(folder, 'report.json');
    try {
      const { status, stdout, stderr } = await run(program, args(file), { cwd, env, timeoutMs: TIMEOUT_MS });
      const text = existsSync(file) ? readFileSync(file, 'utf8') : '{"testResults":[]}';
      const reported = namesInReport(text);
      const vain = leftOut.filter(name => !reported.includes(name)).map(namedInVain);
      const results = [...jsonReportResults(text), ...vain];
      const bad = results.some(({ outcome }) => outcome === 'failed');
      if (results.length > 0 && (status === 0 || bad)) return results;
      return [
        ...results,
        failed('(the run itself)', `ended with ${status}\n${stdout}${stderr}`.slice(-4000)),
      ];
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Our equivalents of the in-scope tests, with a client as published: the package carries no tests. */
export class JsEquivalents extends ReportingSuite {
  readonly client: string;
  readonly #version: JsVersion;

  constructor(version: JsVersion) {
    super();
    this.#version = version;
    this.client = `centrifuge-js ${version}`;
  }

  run(): Promise<readonly TestResult[]> {
    const config = 'conformance/clients/vitest.config.ts';
    return this.report(
      process.execPath,
      file => [
        join(ROOT, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--config',
        config,
        '--reporter=json',
        `--outputFile=${file}`,
      ],
      ROOT,
      { env: { CONFORMANCE_CLIENT: JS_CLIENTS[this.#version] } },
    );
  }
}

const REGEXP = /[.*+?^${}()|[\]\\/]/g;

function anyOf(names: readonly string[]): string {
  return names.map(name => name.replace(REGEXP, '\\$&')).join('|');
}

/** The client's own suite in a checkout whose packages are installed. */
export class JsCheckout extends ReportingSuite {
  override readonly scope = 'js';
  readonly client: string;
  readonly #checkout: string;

  constructor(checkout: string) {
    super();
    this.#checkout = checkout;
    const { version } = JSON.parse(readFileSync(join(checkout, 'package.json'), 'utf8')) as {
      version: string;
    };
    this.client = `centrifuge-js ${version} checkout`;
  }

  override missing(): readonly string[] {
    if (existsSync(join(this.#checkout, 'node_modules/jest'))) return [];
    return [`the packages of ${this.#checkout} are not installed: npm install there`];
  }

  async run(skip: readonly string[]): Promise<readonly TestResult[]> {
    const files = skip.filter(name => name.endsWith('.test.ts'));
    const tests = skip.filter(name => !files.includes(name));
    const results = await this.report(
      process.execPath,
      file => [
        'node_modules/jest/bin/jest.js',
        ...['-i', '--json', `--outputFile=${file}`],
        ...(files.length > 0 ? ['--testPathIgnorePatterns', anyOf(files)] : []),
        ...(tests.length > 0 ? ['--testNamePattern', `^(?!(?:${anyOf(tests)})$)`] : []),
      ],
      this.#checkout,
      { leftOut: tests },
    );
    const unknown = files.filter(name => !existsSync(join(this.#checkout, name)));
    return [...results, ...unknown.map(namedInVain)];
  }
}
