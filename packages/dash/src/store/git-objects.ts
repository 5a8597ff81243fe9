import { createHash } from 'node:crypto';

const TREE_MODE = '40000';
const FILE_MODE = '100644';

/** One object of a repository, with the hash that names it. */
export interface GitObject {
  readonly kind: 'blob' | 'tree' | 'commit';
  readonly hash: string;
  readonly content: Buffer;
}

/** Makes objects for one repository: its hashes are SHA-1 or SHA-256. */
export class GitObjects {
  readonly #algorithm: 'sha1' | 'sha256';

  /** @param noObject The repository's name for no object: zeros as long as its hashes. */
  constructor(noObject: string) {
    this.#algorithm = noObject.length === 64 ? 'sha256' : 'sha1';
  }

  blob(bytes: Uint8Array): GitObject {
    return this.#object('blob', Buffer.from(bytes));
  }

  /**
   * The trees of a commit in which the file at `path` is `blob`, or is gone; the root tree comes last.
   * @param trees Content of the trees on the way now, the root first; undefined where one is missing.
   */
  trees(
    path: string,
    blob: string | undefined,
    trees: readonly (Buffer | undefined)[],
  ): [GitObject, ...GitObject[]] {
    const names = path.split('/');
    const made: GitObject[] = [];
    let entry = blob === undefined ? undefined : { mode: FILE_MODE, hash: blob };
    for (let depth = names.length - 1; depth >= 0; depth--) {
      const content = this.#withEntry(trees[depth], names[depth] ?? '', entry);
      const tree = this.#object('tree', content);
      // A folder without files is in no tree, but a commit always has a root.
      const isKept = content.length > 0 || depth === 0;
      if (isKept) made.push(tree);
      entry = isKept ? { mode: TREE_MODE, hash: tree.hash } : undefined;
    }
    return made as [GitObject, ...GitObject[]];
  }

  /** @param signature `name <email> seconds zone`, of author and committer alike. */
  commit(tree: string, parent: string | undefined, signature: string, message: string): GitObject {
    const parents = parent === undefined ? '' : `parent ${parent}\n`;
    const text = `tree ${tree}\n${parents}author ${signature}\ncommitter ${signature}\n\n${message}`;
    return this.#object('commit', Buffer.from(text));
  }

  #object(kind: GitObject['kind'], content: Buffer): GitObject {
    const hash = createHash(this.#algorithm).update(`${kind} ${content.length}\0`).update(content);
    return { kind, hash: hash.digest('hex'), content };
  }

  #withEntry(
    tree: Buffer | undefined,
    name: string,
    entry: { readonly mode: string; readonly hash: string } | undefined,
  ): Buffer {
    const hashBytes = this.#algorithm === 'sha256' ? 32 : 20;
    const bytes = Buffer.from(name);
    const others = treeEntries(tree ?? Buffer.alloc(0), hashBytes).filter(other => !other.name.equals(bytes));
    const added =
      entry === undefined
        ? Buffer.alloc(0)
        : Buffer.concat([Buffer.from(`${entry.mode} ${name}\0`), Buffer.from(entry.hash, 'hex')]);
    const entries = [...others, ...treeEntries(added, hashBytes)].toSorted(byTreeOrder);
    return Buffer.concat(entries.map(({ content }) => content));
  }
}

interface TreeEntry {
  readonly name: Buffer;
  /** What git sorts by: a folder sorts as if its name ended in a slash. */
  readonly key: Buffer;
  readonly content: Buffer;
}

/** The entries `<mode> <name>\0<hash>` of a tree. */
function treeEntries(tree: Buffer, hashBytes: number): TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (let at = 0; at < tree.length; ) {
    const [space, zero] = [tree.indexOf(' ', at), tree.indexOf(0, at)];
    const name = tree.subarray(space + 1, zero);
    const isFolder = tree.toString('latin1', at, space) === TREE_MODE;
    const end = zero + 1 + hashBytes;
    entries.push({
      name,
      key: isFolder ? Buffer.concat([name, Buffer.from('/')]) : name,
      content: tree.subarray(at, end),
    });
    at = end;
  }
  return entries;
}

function byTreeOrder(a: TreeEntry, b: TreeEntry): number {
  return Buffer.compare(a.key, b.key);
}
