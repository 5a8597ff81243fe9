import type { Clock } from '@msg/foundation/clock';
import type { Git } from './git-command.ts';

/** How long a changed configuration may go unnoticed. */
const LIFE_MS = 1_000;

/** Who commits: the identity that git is configured with, read again after a second. */
export class Committer {
  readonly #git: Git;
  readonly #clock: Clock;
  #identity: Promise<string> | undefined;
  #readAt = 0;

  constructor(git: Git, clock: Clock) {
    this.#git = git;
    this.#clock = clock;
  }

  /** `name <email> seconds zone`, as a commit holds it. */
  async signature(): Promise<string> {
    const now = this.#clock.now();
    return `${await this.#read()} ${Math.floor(now / 1_000)} ${zoneAt(now)}`;
  }

  #read(): Promise<string> {
    const now = this.#clock.monotonic();
    if (this.#identity === undefined || now - this.#readAt > LIFE_MS) {
      this.#readAt = now;
      this.#identity = readIdentity(this.#git);
      this.#identity.catch(() => {
        this.#identity = undefined;
      });
    }
    return this.#identity;
  }
}

/** Name and mail address, each missing part filled in. */
async function readIdentity(git: Git): Promise<string> {
  const { stdout } = await git.run(['config', '-z', '--get-regexp', '^user\\.(name|email)$']);
  const entries = stdout.toString().split('\0');
  const settings = new Map(entries.map(entry => entry.split('\n', 2) as [string, string | undefined]));
  const setting = (name: string) => (settings.get(name) ?? '').replace(/[<>\p{Cc}]/gu, '').trim();
  return `${setting('user.name') || 'dash'} <${setting('user.email') || 'dash@localhost'}>`;
}

/** The local offset from UTC as git writes it, such as `+0200`. */
function zoneAt(now: number): string {
  const minutes = -new Date(now).getTimezoneOffset();
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}${String(rest).padStart(2, '0')}`;
}
