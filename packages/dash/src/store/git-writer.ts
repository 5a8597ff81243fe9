import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@msg/foundation/clock';
import { removeIfPossible } from './atomic-file.ts';
import { type Git, GitFailure } from './git-command.ts';
import { GitDialogue } from './git-dialogue.ts';
import type { GitObject } from './git-objects.ts';

/** Writes objects through one `git hash-object` process per kind, which takes the content from a file. */
export class GitWriter {
  readonly #directory: string;
  readonly #dialogues: Readonly<Record<GitObject['kind'], GitDialogue>>;

  /** @param directory The repository's private directory, in which the contents are for a moment. */
  constructor(git: Git, directory: string, clock: Clock) {
    const dialogue = (kind: GitObject['kind']) =>
      new GitDialogue(git, ['hash-object', '-w', '-t', kind, '--no-filters', '--stdin-paths'], clock);
    this.#directory = directory;
    this.#dialogues = { blob: dialogue('blob'), tree: dialogue('tree'), commit: dialogue('commit') };
  }

  /** Writes one object and flushes it. @throws GitFailure when git stored something else or nothing. */
  async write({ kind, hash, content }: GitObject): Promise<void> {
    const file = join(this.#directory, `.dash-tmp-${randomBytes(9).toString('hex')}`);
    // Not flushed, so that handing it to a thread would take longer than it does.
    writeFileSync(file, content, { flag: 'wx' });
    try {
      const written = await this.#dialogues[kind].ask(quoted(file), readLine);
      if (written !== hash) throw new GitFailure(`git wrote ${written} for object ${hash}`);
    } finally {
      removeIfPossible(file);
    }
  }
}

/** A path as git takes it in a line: in quotes, control characters as octal numbers. */
function quoted(path: string): string {
  const escaped = path
    .replace(/["\\]/g, '\\$&')
    .replace(/\p{Cc}/gu, control => `\\${control.charCodeAt(0).toString(8).padStart(3, '0')}`);
  return `"${escaped}"`;
}

function readLine(received: Buffer) {
  const end = received.indexOf('\n');
  return end < 0 ? undefined : { answer: received.toString('utf8', 0, end), length: end + 1 };
}
