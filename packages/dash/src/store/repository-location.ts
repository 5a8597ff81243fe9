import { Git, GitFailure } from './git-command.ts';

/** Where a root lies in its repository. */
export interface RepositoryLocation {
  /** The repository's private directory; of a linked work tree its own one. */
  readonly gitDirectory: string;
  /** Path from the work tree's top to the root: empty, or ending in `/`. */
  readonly prefix: string;
  /** Zeros as long as the repository's hashes: git's name for no object. */
  readonly noObject: string;
}

/** The work tree that holds `root`; undefined when it does not exist. */
export async function locate(root: string, program?: string): Promise<RepositoryLocation | undefined> {
  const result = await new Git(root, program).run([
    'rev-parse',
    ...['--is-inside-work-tree', '--absolute-git-dir', '--show-prefix', '--show-object-format'],
  ]);
  if (result.status !== 0) {
    if (/not a git repository/i.test(result.stderr)) return undefined;
    throw new GitFailure(result.stderr);
  }
  const [inside, gitDirectory = '', prefix = '', format] = result.stdout.toString().split('\n');
  if (inside !== 'true') throw new GitFailure('the root lies inside the private directory of a repository');
  return { gitDirectory, prefix, noObject: '0'.repeat(format === 'sha256' ? 64 : 40) };
}

/** Makes `root` the work tree of a new repository. */
export async function initialise(root: string, program?: string): Promise<void> {
  await new Git(root, program).read(['init', '--quiet', '--initial-branch=main']);
}

/** A path of the repository as git, which runs in the root, takes it behind `--`. */
export function pathFromRoot(location: RepositoryLocation, path: string): string {
  return path.slice(location.prefix.length);
}
