import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Language, Program } from '../../../conformance/src/releases/language.ts';
import { DELAYS_MS, type Invitation, type Listener, type ListenerClient, noted } from './client.ts';

/** Outlives a run: downloads and builds are reused. */
const FOLDER = new URL('../../../.tmp/conformance', import.meta.url).pathname;

/** A line of a program. */
interface Line {
  readonly n?: number;
  readonly told?: string;
  readonly recovered?: boolean;
}

/** A listener in another language: a program that prints a line for each thing its application sees. */
class ProgramListener implements Listener {
  readonly numbers: number[] = [];
  readonly recoveries: boolean[] = [];
  told: string | undefined;
  notes = '';
  readonly #stop: () => void;

  constructor({ command, args, env = {} }: Program, invitation: Invitation) {
    const session = { ...invitation, leastMs: DELAYS_MS.least, mostMs: DELAYS_MS.most };
    const child = spawn(command, [...args, JSON.stringify(session)], {
      env: { ...process.env, ...env },
      stdio: 'pipe',
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.notes = noted(this.notes, text);
    });
    createInterface(child.stdout).on('line', line => this.#read(line));
    child.once('error', error => {
      this.told ??= `does not run: ${error.message}`;
    });
    child.once('exit', status => {
      this.told ??= `the program ended with ${status}`;
    });
    child.stdin.on('error', () => {}); // it may have ended
    this.#stop = () => void child.kill('SIGKILL');
  }

  #read(line: string): void {
    try {
      const { n, told, recovered } = JSON.parse(line) as Line;
      if (n !== undefined) this.numbers.push(n);
      if (recovered !== undefined) this.recoveries.push(recovered);
      this.told ??= told;
    } catch {
      this.notes = noted(this.notes, `${line}\n`); // a warning of the library
    }
  }

  stop(): void {
    this.#stop();
  }
}

/** The newest release of a client in another language; `make` builds its listener below a folder that outlives the run. */
export function programClient(
  { client, releases, missing, name: language }: Language,
  make: (folder: string, release: string) => Promise<Program>,
): ListenerClient {
  const release = releases.at(-1) ?? '';
  let program: Program | undefined;
  return {
    name: `${client} ${release}`,
    missing,
    async prepare() {
      program = await make(join(FOLDER, language.toLowerCase()), release);
    },
    listen(invitation) {
      if (program === undefined) throw new Error('prepare first');
      return new ProgramListener(program, invitation);
    },
  };
}
