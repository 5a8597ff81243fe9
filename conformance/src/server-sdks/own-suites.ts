import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type Run, run, versionOf } from '../process.ts';
import type { TestResult } from '../suites/suite.ts';
import type { ApiTarget, OwnSuiteService, ServerSdk } from './sdk.ts';

const TIMEOUT_MS = 120_000;

/** Everything that a runner wrote, when it reported no test. */
function withoutTests({ stdout, stderr }: Run): TestResult[] {
  return [{ name: '(the run itself)', outcome: 'failed', detail: `${stdout}${stderr}`.slice(-4000) }];
}

const unescaped = (text: string): string =>
  text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code))).replaceAll('&quot;', '"');

/** The results in a report in the form of JUnit. */
export function junitResults(xml: string): TestResult[] {
  return [...xml.matchAll(/<testcase name="([^"]*)"[^>]*?(?:\/>|>([\s\S]*?)<\/testcase>)/g)].map(
    ([, name = '', body = '']) => {
      const detail = unescaped(/<(?:failure|error|skipped)\b[^>]*>?([\s\S]*)/.exec(body)?.[0] ?? '');
      return { name, outcome: detail === '' ? 'passed' : 'failed', detail };
    },
  );
}

interface RspecReport {
  readonly examples: readonly {
    readonly full_description: string;
    readonly status: string;
    readonly exception?: { readonly message: string };
  }[];
}

/** The results in the JSON report of rspec; a pending example is a failure. */
export function rspecResults(json: string): TestResult[] {
  const { examples } = JSON.parse(json) as RspecReport;
  return examples.map(({ full_description: name, status, exception }) => ({
    name,
    outcome: status === 'passed' ? 'passed' : 'failed',
    detail: exception?.message ?? (status === 'passed' ? '' : status),
  }));
}

/** phpcent's tests, from a checkout in which `composer install` was run. They present no key, and demand `{"result":{}}`. */
class PhpSuite implements ServerSdk {
  readonly name = 'php';
  readonly title = 'PHP phpcent checkout';
  readonly how = 'its own suite, under `no_auth`, in a channel without history';
  readonly leftOut = '';
  readonly service: OwnSuiteService = { open: true, withoutHistory: true };
  readonly #checkout: string;

  constructor(checkout: string) {
    this.#checkout = resolve(checkout);
  }

  missing(): string | undefined {
    if (versionOf('php', '--version') === undefined)
      return 'PHP is not installed: apt-get install -y php-cli php-curl php-xml php-mbstring';
    return existsSync(join(this.#checkout, 'vendor/autoload.php'))
      ? undefined
      : `${this.#checkout} has no vendor folder: composer install`;
  }

  async prepare(): Promise<void> {}

  async run(): Promise<readonly TestResult[]> {
    const installed = join(this.#checkout, 'vendor/bin/phpunit');
    const report = join(this.#checkout, 'vendor/report.xml');
    const args = ['--log-junit', report];
    const options = { cwd: this.#checkout, timeoutMs: TIMEOUT_MS };
    const done = await run(existsSync(installed) ? installed : 'phpunit', args, options);
    const results = existsSync(report) ? junitResults(readFileSync(report, 'utf8')) : [];
    return results.length > 0 ? results : withoutTests(done);
  }
}

/** The integration group of Ruby's cent, from a checkout in which `bundle install` was run. */
class RubySuite implements ServerSdk {
  readonly name = 'ruby';
  readonly title = 'Ruby cent checkout';
  readonly how = 'the integration group of its own suite';
  readonly leftOut = '';
  readonly #checkout: string;

  constructor(checkout: string) {
    this.#checkout = resolve(checkout);
  }

  missing(): string | undefined {
    return versionOf('rspec', '--version') === undefined
      ? 'rspec is not installed: apt-get install -y ruby-rspec ruby-faraday ruby-webmock ruby-jwt, or bundle install'
      : undefined;
  }

  async prepare(): Promise<void> {}

  async run({ url, key }: ApiTarget): Promise<readonly TestResult[]> {
    const done = await run('rspec', ['spec/integration', '--format', 'json'], {
      cwd: this.#checkout,
      env: { CENTRIFUGO_API_URL: url, CENTRIFUGO_API_KEY: key },
      timeoutMs: TIMEOUT_MS,
    });
    const [report] = /^\{.*\}/m.exec(done.stdout) ?? [];
    return report === undefined ? withoutTests(done) : rspecResults(report);
  }
}

/** The SDK's own suite in a checkout; `undefined`: it has none that needs a server. */
export function ownSuite(name: string, checkout: string): ServerSdk | undefined {
  if (name === 'php') return new PhpSuite(checkout);
  return name === 'ruby' ? new RubySuite(checkout) : undefined;
}
