/** The newest commit of each path, as long as HEAD stays where it is. */
export class NewestCommits {
  #head: string | undefined;
  readonly #commits = new Map<string, string | undefined>();

  /** The newest commit of `path` at `head`, looked up once; undefined for a path without commits. */
  async find(
    head: string,
    path: string,
    lookUp: () => Promise<string | undefined>,
  ): Promise<string | undefined> {
    if (this.#head !== head) {
      this.#commits.clear();
      this.#head = head;
    }
    if (this.#commits.has(path)) return this.#commits.get(path);
    const commit = await lookUp();
    if (this.#head === head) this.#commits.set(path, commit);
    return commit;
  }

  /** HEAD moved from `from` by one commit, which touched `path` alone: what is known of other paths stays true. */
  advance(from: string | undefined, commit: string, path: string): void {
    if (this.#head !== from) this.#commits.clear();
    this.#head = commit;
    this.#commits.set(path, commit);
  }
}
