import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../..');

/** A fenced block of a page: the words after the fence, and the text, without the indentation of a list. */
export interface Block {
  readonly language: string;
  /** What the block is to the tests, without the title of its tab; see CONTRIBUTING.md. */
  readonly words: readonly string[];
  readonly text: string;
  /** Line of the fence, from 1. */
  readonly line: number;
}

/** Every page that somebody may follow: paths below the repository, without the reference that the site's build makes. */
export const PAGES: readonly string[] = globSync(
  ['*.md', 'docs/**/*.md', 'packages/*/README.md', '{bench,conformance,ops}/**/*.md', 'examples/*/*.md'],
  { cwd: ROOT, exclude: path => path.includes('node_modules') || path.startsWith('docs/reference') },
).toSorted();

export const readPage = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The fenced blocks of a page, in order; also those in comments, which hold what its reader has by then. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^( *)```(\w*)([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', info = '', text = ''], index, all) => ({
      language,
      words: info
        .replace(/\[[^\]]*\]\s*$/, '')
        .split(/\s+/)
        .filter(word => word !== ''),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: page.slice(0, all[index]?.index ?? 0).split('\n').length,
    }),
  );
}

/** Pages whose blocks another test executes. */
export const TESTED_BY: Readonly<Record<string, string>> = {
  'README.md': 'test/blackbox/readme.test.ts',
  'docs/append-stream-readers.md': 'test/append-readers.slow.test.ts',
  'docs/cli.md': 'packages/server/test/blackbox/cli-examples.test.ts',
  'docs/dash/how-to-add-an-item-type.md': 'test/add-item-type.slow.test.ts',
  ...Object.fromEntries(
    ['express', 'fastify', 'hono', 'koa', 'nestjs'].map(name => [
      `docs/${name}.md`,
      'packages/server/test/blackbox/frameworks/pages.test.ts',
    ]),
  ),
  'docs/how-to-add-an-rpc-method.md': 'test/add-rpc-method.slow.test.ts',
  'docs/how-to-add-a-transport.md': 'test/add-transport.slow.test.ts',
  'docs/next.md': 'packages/server/test/blackbox/frameworks/next.test.ts',
  'docs/react.md': 'packages/react/test/blackbox/pages.test.ts',
  'docs/svelte.md': 'packages/react/test/blackbox/pages.test.ts',
  'docs/vue.md': 'packages/react/test/blackbox/pages.test.ts',
  'docs/web-push.md': 'test/web-push.slow.test.ts',
  'docs/state-that-fits.md': 'packages/postgres/test/blackbox/state-page.test.ts',
  'docs/tokens-for-your-users.md': 'packages/server/test/blackbox/tokens-for-your-users.test.ts',
  'docs/script-tag.md': 'packages/client/test/blackbox/script.test.ts',
  'docs/dash/connections.md': 'packages/dash/test/data/connections-page.test.ts',
  'docs/dash/documents.md': 'packages/dash/test/resolve/documents-page.test.ts',
  'examples/ai-chat/README.md': 'test/blackbox/ai-chat-example.test.ts',
  'examples/chat/README.md': 'test/blackbox/chat-example.test.ts',
  'examples/chat-engine/README.md': 'packages/engine/test/chat/blackbox/chat-engine.test.ts',
  'examples/cluster/README.md': 'packages/server/test/blackbox/cluster/example.test.ts',
  'examples/observe/README.md': 'test/blackbox/observe-example.test.ts',
  'examples/order-status/README.md': 'test/support/order-status.ts',
  'examples/orders/README.md': 'test/blackbox/orders-example.test.ts',
  'examples/store-backend/README.md': 'packages/server/test/stores/example-backend.test.ts',
  'examples/threads-engine/README.md': 'packages/engine/test/threads/blackbox/threads-example.test.ts',
};

/** Pages with changes of files of this repository, and the test that makes them in a copy. */
export const TESTED_IN_A_COPY: Readonly<Record<string, string>> = {
  'docs/dash/how-to-add-an-item-type.md': 'test/add-item-type.slow.test.ts',
  'docs/how-to-add-a-sink-kind.md': 'test/add-sink-kind.slow.test.ts',
  'docs/how-to-add-a-transport.md': 'test/add-transport.slow.test.ts',
  'docs/how-to-add-an-rpc-method.md': 'test/add-rpc-method.slow.test.ts',
};

/** True for a block that is a file of this repository, or a change of one. */
export const isRepositoryStep = ({ words: [path = ''] }: Block): boolean => /^(?:docs|packages)\//.test(path);

/**
 * What becomes of a block. `executed`: run as it stands, or part of what is run. `checked`: TypeScript reads it with
 * its types. `loaded`: `msg` loads it as its configuration. `marked`: needs what tests have not, and says so; the
 * parser of its language reads it. `prose`: no code.
 */
export type Use = 'executed' | 'checked' | 'loaded' | 'marked' | 'prose';

const COMMAND = /^\$ |^(?:msg|msg-gen|dashdoc|npm|npx|node|curl|docker|kubectl|systemctl) /m;

/** `undefined`: nothing would notice if the block were wrong. */
export function useOf(path: string, { language, words, text }: Block): Use | undefined {
  const [word = '', ...reason] = words;
  if (language === 'text') return words.length > 0 || COMMAND.test(text) ? undefined : 'prose';
  if (word === 'elsewhere') return reason.length > 2 ? 'marked' : undefined;
  if (word === 'container-engine' || word === 'kubernetes-cluster') return 'marked';
  if (language === 'output' || word === 'output' || word.includes('.')) return 'executed';
  if (language === 'sh' && ['', 'server', 'background'].includes(word)) return 'executed';
  if (word !== '' && word !== 'given') return undefined;
  if (language === 'ts' || language === 'js') return 'checked';
  if (language === 'yaml') return 'loaded';
  return path in TESTED_BY ? 'executed' : undefined;
}

/** Is the page's text, in order, a script for a shell? */
export const isFollowed = (path: string): boolean =>
  !(path in TESTED_BY) &&
  blocksOf(readPage(path)).some(block => block.language === 'sh' && useOf(path, block) === 'executed');
