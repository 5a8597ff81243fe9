import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { mustRun, versionOf } from '../process.ts';
import type { TestResult } from '../suites/suite.ts';
import { type Answer, batch, type Exchange, exchanges } from './exchanges.ts';
import type { ApiTarget, ServerSdk } from './sdk.ts';

const PROGRAMS = new URL('../../programs/server-sdks/', import.meta.url).pathname;
const TIMEOUT_MS = 60_000;

/**
 * An SDK by its transcript: a program in its language sends what it sends by the language's own HTTP stack, headers and
 * body, and reads the answer as strictly as it does.
 */
interface Transcript {
  readonly name: string;
  readonly title: string;
  readonly how: string;
  readonly leftOut?: string;
  missing(): string | undefined;
  /** Builds the program; answers how it is started. @param folder is written to */
  program(folder: string): Promise<readonly string[]>;
  /** The calls as this SDK writes them. */
  calls(channel: string): readonly Exchange[];
}

/** phpcent writes members out that are not set. */
function asPhp(exchange: Exchange): Exchange {
  const { method, params } = exchange;
  if (method === 'publish' || method === 'broadcast')
    return { ...exchange, params: { ...params, skip_history: false } };
  return method === 'history' ? { ...exchange, params: { ...params, reverse: false } } : exchange;
}

/** The older form, command after command in one body. */
function pipe(channel: string): Exchange {
  const publish = (name: string) => ({ method: 'publish', params: { channel: name, data: { n: 1 } } });
  return {
    name: 'a pipe of three',
    method: 'pipe',
    params: { commands: [publish(channel), publish('namespace:channel'), { method: 'info', params: {} }] },
    check(replies: readonly Answer[]) {
      const [published, failed, info] = replies;
      if (published.result.offset !== 1 || failed.error.code !== 102 || info.result.nodes.length === 0)
        throw new Error(`other replies: ${JSON.stringify(replies)}`);
    },
  };
}

const TRANSCRIPTS: readonly Transcript[] = [
  {
    name: 'php',
    title: 'PHP phpcent 6',
    how: 'transcript, php-cli with curl',
    missing: () =>
      versionOf('php', '-r', 'exit(function_exists("curl_init") ? 0 : 1);') === undefined
        ? 'PHP with curl is not installed: apt-get install -y php-cli php-curl'
        : undefined,
    program: async () => ['php', join(PROGRAMS, 'exchange.php')],
    calls: channel => [...exchanges(channel), batch(channel)].map(asPhp),
  },
  {
    name: 'ruby',
    title: 'Ruby cent 4',
    how: 'transcript, net/http',
    missing: () =>
      versionOf('ruby', '--version') === undefined
        ? 'Ruby is not installed: apt-get install -y ruby'
        : undefined,
    program: async () => ['ruby', join(PROGRAMS, 'exchange.rb')],
    calls: channel => [...exchanges(channel), batch(channel)],
  },
  {
    name: 'go',
    title: 'Go gocent 3',
    how: 'transcript of the older form, net/http; the module proxy does not serve the client',
    leftOut: 'refresh: the client has no such call',
    missing: () => (versionOf('go', 'version') === undefined ? 'Go is not installed' : undefined),
    async program(folder) {
      const program = join(folder, 'exchange-go');
      await mustRun('go', ['build', '-o', program, join(PROGRAMS, 'exchange.go')], {
        env: { GOWORK: 'off', GO111MODULE: 'off' },
      });
      return [program];
    },
    calls: channel => [
      ...exchanges(channel).filter(({ method }) => method !== 'refresh'),
      pipe(`${channel}-pipe`),
    ],
  },
  {
    name: 'java',
    title: 'Java javacent',
    how: 'transcript, java.net.http; Maven Central does not serve the artifact',
    missing: () =>
      versionOf('javac', '-version') === undefined
        ? 'a Java compiler is not installed: apt-get install -y default-jdk-headless'
        : undefined,
    async program(folder) {
      await mustRun('javac', ['-d', folder, join(PROGRAMS, 'Exchange.java')]);
      return ['java', '-cp', folder, 'Exchange'];
    },
    calls: channel => [...exchanges(channel), batch(channel)],
  },
];

/** One line of a program: the call, and either what the client reads or why it fails. */
interface Line {
  readonly name: string;
  readonly outcome: string;
  readonly value: string;
}

function lines(output: string): Line[] {
  return output
    .split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [name = '', outcome = '', value = ''] = line.split('\t');
      return { name, outcome, value };
    });
}

/** Judges what a program wrote of each call, in their order. */
export function transcriptResults(calls: readonly Exchange[], output: string): TestResult[] {
  const written = new Map(lines(output).map(line => [line.name, line]));
  const answers = new Map<string, Answer>();
  return calls.map(({ name, check }) => {
    const line = written.get(name);
    if (line?.outcome !== 'answer')
      return { name, outcome: 'failed', detail: line?.value ?? 'the program wrote nothing of it' };
    try {
      const answer: Answer = JSON.parse(line.value);
      answers.set(name, answer);
      check(answer, answers);
      return { name, outcome: 'passed', detail: '' };
    } catch (error) {
      return { name, outcome: 'failed', detail: `${error}\n${line.value}` };
    }
  });
}

/** Runs a program with calls on its standard input, one line each: name, method, parameters as JSON. */
function send(command: readonly string[], target: ApiTarget, calls: readonly Exchange[]): Promise<string> {
  const [program = '', ...args] = command;
  const child = spawn(program, [...args, target.url, target.key], { timeout: TIMEOUT_MS });
  child.stdin.end(
    calls.map(({ name, method, params }) => `${name}\t${method}\t${JSON.stringify(params)}\n`).join(''),
  );
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', status =>
      status === 0 ? resolve(output) : reject(new Error(`${program} ended with ${status}: ${errors}`)),
    );
  });
}

class TranscriptSdk implements ServerSdk {
  readonly name: string;
  readonly title: string;
  readonly how: string;
  readonly leftOut: string;
  readonly #transcript: Transcript;
  #command: readonly string[] = [];

  constructor(transcript: Transcript) {
    this.#transcript = transcript;
    this.name = transcript.name;
    this.title = transcript.title;
    this.how = transcript.how;
    this.leftOut = transcript.leftOut ?? '';
  }

  missing(): string | undefined {
    return this.#transcript.missing();
  }

  async prepare(folder: string): Promise<void> {
    this.#command = await this.#transcript.program(folder);
  }

  async run(target: ApiTarget): Promise<readonly TestResult[]> {
    const calls = this.#transcript.calls(`${this.name}-${randomUUID()}`);
    const results = transcriptResults(calls, await send(this.#command, target, calls));
    const [info] = calls.filter(({ method }) => method === 'info');
    if (info === undefined) return results;
    const refused = lines(await send(this.#command, { ...target, key: 'wrong' }, [info]));
    const isRefused = refused.length === 1 && refused[0]?.value === 'status 401';
    const detail = isRefused ? '' : JSON.stringify(refused);
    return [...results, { name: 'a wrong key', outcome: isRefused ? 'passed' : 'failed', detail }];
  }
}

export const TRANSCRIPT_SDKS: readonly ServerSdk[] = TRANSCRIPTS.map(row => new TranscriptSdk(row));
