import { posix } from 'node:path';
import type { PackageManifest } from './packages.ts';

/** Where the repository is read: the one field of the root's `package.json` that addresses come from. */
export interface Repository {
  /** Without a slash at the end. */
  readonly address: string;
  /** Whether a path of the repository is a folder: it has another address than a file. */
  isFolder(path: string): boolean;
}

/** The branch that links of published pages lead to. */
const BRANCH = 'main';
/** Members of a manifest that only the repository needs. */
const OF_DEVELOPMENT = new Set(['devDependencies', 'scripts', 'private']);
/** The export condition under which the repository runs its sources, which a tarball does not hold. */
const SOURCE_CONDITION = 'msg-source';

/** The address of a path of the repository, which may end in `#anchor`. */
export function addressOf({ address, isFolder }: Repository, path: string): string {
  const [file = ''] = path.split('#');
  return `${address}/${isFolder(file) ? 'tree' : 'blob'}/${BRANCH}/${path}`;
}

/**
 * Whether a built file is published. Maps are not: the sources they lead to stay in the repository, and what the compiler
 * emits differs from them by the types alone.
 */
export const isPublished = ({ path }: { readonly path: string }): boolean =>
  !/\.(map|tsbuildinfo)$/.test(path);

/** A script without the comment that names its map. */
export const withoutMap = (script: string): string =>
  script.replace(/\n\/\/# sourceMappingURL=\S+\s*$/, '\n');

/** The text of the sources for the version of a build that is no release. */
const CHECKOUT_VERSION = /(export (?:declare )?const VERSION = )(['"])dev\2/;

/** A script, or its types, that says the version of its package instead of that of a checkout. */
export const withVersion = (script: string, version: string): string =>
  script.replace(CHECKOUT_VERSION, (_, declaration, quote) => `${declaration}${quote}${version}${quote}`);

/** The manifest as it is published: without what only development needs, with what a registry shows. */
export function publishedManifest<M extends PackageManifest>(
  manifest: M,
  folder: string,
  repository: Repository,
): Record<string, unknown> {
  const kept = Object.entries(manifest).filter(([member]) => !OF_DEVELOPMENT.has(member));
  return withoutSources({
    ...Object.fromEntries(kept),
    homepage: `${addressOf(repository, folder)}#readme`,
    bugs: { url: `${repository.address}/issues` },
    repository: { type: 'git', url: `git+${repository.address}.git`, directory: folder },
  });
}

function withoutSources(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== SOURCE_CONDITION)
      .map(([name, member]) => [name, isObject(member) ? withoutSources(member) : member]),
  );
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Blocks of code, in which nothing is a link. */
const CODE = /(^( *)```[\s\S]*?^\2```|`[^`\n]*`)/m;
const LINK = /(\]\()([^)\s]+)(\))|^(\[[^\]]+\]:\s*)(\S+)/gm;

/** A page whose links to files of the repository are addresses; anchors of the page itself stay. */
export function withAddresses(page: string, folder: string, repository: Repository): string {
  const absolute = (target: string): string =>
    /^([a-z]+:|#)/.test(target)
      ? target
      : addressOf(repository, posix.normalize(posix.join(folder, target)).replace(/\/$/, ''));
  return splitCode(page)
    .map(({ text, isCode }) =>
      isCode
        ? text
        : text.replaceAll(LINK, (_, open, target, close, label, reference) =>
            open === undefined ? `${label}${absolute(reference)}` : `${open}${absolute(target)}${close}`,
          ),
    )
    .join('');
}

function splitCode(page: string): { readonly text: string; readonly isCode: boolean }[] {
  const parts: { text: string; isCode: boolean }[] = [];
  let rest = page;
  for (let match = CODE.exec(rest); match !== null; match = CODE.exec(rest)) {
    parts.push({ text: rest.slice(0, match.index), isCode: false }, { text: match[0], isCode: true });
    rest = rest.slice(match.index + match[0].length);
  }
  return [...parts, { text: rest, isCode: false }];
}

/** Comments of a page: what its test needs and no reader sees. */
export const withoutComments = (page: string): string => page.replaceAll(/<!--[\s\S]*?-->\n*/g, '');
