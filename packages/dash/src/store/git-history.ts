import type { HistoryEntry, HistoryPart } from './contract.ts';
import type { Git } from './git-command.ts';
import type { GitReader } from './git-reader.ts';

/** Commits that are looked through for the newest one of each document. */
const MOST_COMMITS = 5_000;
const ENTRY_FORMAT = '--format=%H%n%an <%ae>%n%aI%n%B';
const HEAD_COMMIT = 'HEAD^{commit}';

/** The commits of one repository, read in the folder of the documents. */
export class GitHistory {
  readonly #git: Git;
  readonly #reader: GitReader;
  #newest: { readonly head: string; readonly entries: ReadonlyMap<string, HistoryEntry> } | undefined;

  constructor(git: Git, reader: GitReader) {
    this.#git = git;
    this.#reader = reader;
  }

  /** Commits that touched a file of the folder, newest first. */
  async log(file: string, { skip = 0, limit }: HistoryPart = {}): Promise<HistoryEntry[]> {
    if ((await this.#reader.hashOf(HEAD_COMMIT)) === undefined) return [];
    const part = [`--skip=${skip}`, ...(limit === undefined ? [] : [`--max-count=${limit}`])];
    const output = await this.#git.read(['log', '-z', ...part, ENTRY_FORMAT, '--', file]);
    return output.split('\0').filter(Boolean).map(readEntry);
  }

  /** Full hash of the one commit that `revision`, a whole or short hash, names. */
  async commitNamed(revision: string): Promise<string | undefined> {
    if (!/^[0-9a-f]{4,64}$/.test(revision)) return undefined;
    const commit = `${revision}^{commit}`;
    if (isWholeHash(revision)) return this.#reader.hashOf(commit);
    const asked = ['rev-parse', '--verify', '--quiet', '--end-of-options', commit];
    const result = await this.#git.run(asked);
    return result.status === 0 ? result.stdout.toString().trim() : undefined;
  }

  /** One commit by its full hash. */
  async entry(commit: string): Promise<HistoryEntry | undefined> {
    const object = await this.#reader.contents(commit);
    return object?.kind === 'commit' ? readCommit(commit, object.bytes.toString()) : undefined;
  }

  /** The newest commit of each file of the folder, looked up once for each HEAD. */
  async newestEntries(): Promise<ReadonlyMap<string, HistoryEntry>> {
    const head = await this.#reader.hashOf(HEAD_COMMIT);
    if (head === undefined) return new Map();
    if (this.#newest?.head !== head) this.#newest = { head, entries: await this.#readNewest(head) };
    return this.#newest.entries;
  }

  async #readNewest(head: string): Promise<ReadonlyMap<string, HistoryEntry>> {
    const names = ['log', '-z', '--relative', '--name-only', `--max-count=${MOST_COMMITS}`];
    const output = await this.#git.read([...names, '--format=%H%n%an <%ae>%n%aI%n%s', head, '--', '.']);
    const newest = new Map<string, HistoryEntry>();
    let entry: HistoryEntry | undefined;
    for (const piece of output.split('\0')) {
      if (/^[0-9a-f]{40,64}\n/.test(piece)) entry = readEntry(piece);
      // The first name of a commit stands on a line of its own.
      else if (entry !== undefined) setFirst(newest, piece.replace(/^\n/, ''), entry);
    }
    return newest;
  }
}

/** 40 digits of SHA-1 or 64 of SHA-256. */
function isWholeHash(revision: string): boolean {
  return revision.length === 40 || revision.length === 64;
}

function setFirst(newest: Map<string, HistoryEntry>, name: string, entry: HistoryEntry): void {
  if (!newest.has(name)) newest.set(name, entry);
}

function readEntry(record: string): HistoryEntry {
  const [revision = '', author = '', timestamp = '', ...message] = record.split('\n');
  return { revision, message: message.join('\n').trimEnd(), author, timestamp };
}

/** A commit as git stores it. */
function readCommit(revision: string, text: string): HistoryEntry {
  const end = text.indexOf('\n\n');
  const head = end < 0 ? text : text.slice(0, end);
  const line = head.split('\n').find(text => text.startsWith('author ')) ?? 'author  0 +0000';
  const words = line.slice('author '.length).split(' ');
  const [seconds, zone = '+0000'] = words.slice(-2);
  const author = words.slice(0, -2).join(' ');
  const message = end < 0 ? '' : text.slice(end + 2).trimEnd();
  return { revision, message, author, timestamp: timeText(Number(seconds), zone) };
}

/** ISO 8601 with the offset, as git prints it. */
function timeText(seconds: number, zone: string): string {
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  const local = new Date((seconds + (zone.startsWith('-') ? -60 : 60) * minutes) * 1_000);
  return `${local.toISOString().slice(0, 19)}${zone.slice(0, 3)}:${zone.slice(3)}`;
}
