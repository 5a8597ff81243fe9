import type { Clock } from '@msg/foundation/clock';
import type { Git } from './git-command.ts';
import { GitDialogue } from './git-dialogue.ts';

/** How long a process writes into the reflog: the time that it writes there is the time of its first move. */
const LIFE_MS = 1_000;

/** A process that moves the branch, the subject that it writes into the reflog, and when it began. */
interface Mover {
  readonly dialogue: GitDialogue;
  readonly subject: string;
  readonly since: number;
}

/**
 * Moves the branch that HEAD names. Moves within a second of each other with the same subject go through one
 * `git update-ref` process: it is started once, and each move is a transaction of its own.
 */
export class GitBranch {
  readonly #git: Git;
  readonly #clock: Clock;
  #mover: Mover | undefined;

  constructor(git: Git, clock: Clock) {
    this.#git = git;
    this.#clock = clock;
  }

  /**
   * Moves the branch from one commit to another, and flushes it.
   * @param from Zeros where there is no branch yet.
   * @param subject The line in the reflog.
   * @throws GitFailure when the branch is not at `from`, or is locked by another program.
   */
  async move(from: string, to: string, subject: string): Promise<void> {
    const { dialogue } = this.#moverOf(subject);
    await dialogue.askOnce(`start\nupdate HEAD ${to} ${from}\nprepare\ncommit`, readOutcome);
  }

  #moverOf(subject: string): Mover {
    const now = this.#clock.monotonic();
    const current = this.#mover;
    if (current !== undefined && current.subject === subject && now - current.since <= LIFE_MS)
      return current;
    current?.dialogue.end();
    const dialogue = new GitDialogue(
      this.#git,
      ['update-ref', '-m', subject, '--stdin'],
      this.#clock,
      LIFE_MS,
    );
    this.#mover = { dialogue, subject, since: now };
    return this.#mover;
  }
}

/** `start: ok`, `prepare: ok` and `commit: ok`, a line each. A process that cannot do as asked ends instead. */
function readOutcome(received: Buffer) {
  const end = received.indexOf('commit: ok\n');
  return end < 0 ? undefined : { answer: undefined, length: end + 'commit: ok\n'.length };
}
