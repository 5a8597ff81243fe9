import type { Clock } from '@msg/foundation/clock';
import type { Git } from './git-command.ts';
import { GitDialogue } from './git-dialogue.ts';

/** An object as git names it now. */
export interface ObjectAnswer {
  readonly kind: string;
  readonly hash: string;
  readonly bytes: Buffer;
}

/** Reads objects through one `git cat-file --batch-command` process. */
export class GitReader {
  readonly #dialogue: GitDialogue;

  constructor(git: Git, clock: Clock) {
    this.#dialogue = new GitDialogue(git, ['cat-file', '--batch-command'], clock);
  }

  /** Hash of the object that `name`, in git's notation, names now; undefined for a missing one. */
  hashOf(name: string): Promise<string | undefined> {
    return this.#dialogue.ask(`info ${name}`, received => {
      const header = readHeader(received);
      return header && { answer: header.hash, length: header.length };
    });
  }

  /** The object with its content. */
  contents(name: string): Promise<ObjectAnswer | undefined> {
    return this.#dialogue.ask(`contents ${name}`, received => {
      const header = readHeader(received);
      if (header === undefined) return undefined;
      const { hash, kind, size, length } = header;
      if (hash === undefined) return { answer: undefined, length };
      if (received.length < length + size + 1) return undefined;
      const bytes = Buffer.from(received.subarray(length, length + size));
      return { answer: { kind, hash, bytes }, length: length + size + 1 };
    });
  }
}

/** `<hash> <kind> <size>`; every other line, such as `<name> missing`, means that there is no such object. */
function readHeader(received: Buffer) {
  const end = received.indexOf('\n');
  if (end < 0) return undefined;
  const line = received.toString('utf8', 0, end);
  const [, hash, kind = '', size] = /^([0-9a-f]+) (\S+) (\d+)$/.exec(line) ?? [];
  return { hash, kind, size: Number(size), length: end + 1 };
}
