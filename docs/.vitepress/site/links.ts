import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, relative, resolve } from 'node:path';
import { addressOf } from './navigation.ts';

const DOCS = resolve(import.meta.dirname, '../..');
const ROOT = dirname(DOCS);

interface Manifest {
  readonly repository?: string | { readonly url?: string };
}

/** Where the repository can be read, from the field `repository` of the root manifest; `undefined` without it. */
export function repositoryAddress(manifest: Manifest): string | undefined {
  const { repository } = manifest;
  const url = typeof repository === 'string' ? repository : repository?.url;
  return url?.replace(/^git\+/, '').replace(/\.git$/, '');
}

export const readRepositoryAddress = (): string | undefined =>
  repositoryAddress(JSON.parse(readFileSync(resolve(ROOT, 'package.json'), 'utf8')));

/** The path of a link's target below the repository when it is outside of the documentation, else `undefined`. */
export function repositoryPath(page: string, href: string): string | undefined {
  if (!/^\.{1,2}\//.test(href)) return undefined;
  const target = resolve(dirname(page), href.split('#')[0] ?? '');
  return relative(DOCS, target).startsWith('..') ? relative(ROOT, target) : undefined;
}

/** The address of a file or folder of the repository in its default branch. */
export function fileAddress(repository: string, path: string, anchor = ''): string {
  const file = resolve(ROOT, path);
  const kind = existsSync(file) && statSync(file).isDirectory() ? 'tree' : 'blob';
  return `${repository}/${kind}/HEAD/${path}${anchor}`;
}

/** A token of markdown-it: the members that links have. */
interface Token {
  type: string;
  children: Token[] | null;
  attrGet(name: string): string | null;
  attrSet(name: string, value: string): void;
}

interface MarkdownParser {
  readonly core: {
    readonly ruler: {
      push(name: string, rule: (state: { tokens: Token[]; env: { path?: string } }) => void): void;
    };
  };
}

/** The address on the site of an index page, which has another name there than in the repository. */
function indexAddress(page: string, href: string): string | undefined {
  const [path = '', anchor] = href.split('#');
  if (/^\w+:/.test(path) || basename(path) !== 'README.md') return undefined;
  const below = relative(DOCS, resolve(dirname(page), path));
  return below.startsWith('..') ? undefined : addressOf(below) + (anchor === undefined ? '' : `#${anchor}`);
}

/**
 * Makes links that leave the documentation into addresses of the repository, or into plain text while the root manifest
 * names no repository; links to index pages get their address on the site.
 */
export function linkPages(markdown: MarkdownParser, repository: string | undefined): void {
  markdown.core.ruler.push('page-links', ({ tokens, env }) => {
    for (const token of tokens)
      if (token.children !== null) token.children = withAddresses(token.children, env.path ?? '', repository);
  });
}

function withAddresses(tokens: readonly Token[], page: string, repository: string | undefined): Token[] {
  let isPlain = false;
  return tokens.filter(token => {
    if (token.type === 'link_open') {
      const href = token.attrGet('href') ?? '';
      const index = indexAddress(page, href);
      if (index !== undefined) token.attrSet('href', index);
      const path = repositoryPath(page, href);
      isPlain = path !== undefined && repository === undefined;
      if (path !== undefined && repository !== undefined)
        token.attrSet('href', fileAddress(repository, path, /#.*/.exec(href)?.[0]));
      return !isPlain;
    }
    return !(token.type === 'link_close' && isPlain);
  });
}
