import { globSync, readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { linkPages, repositoryAddress } from '../docs/.vitepress/site/links.ts';
import { REFERENCE, readGroups } from '../docs/.vitepress/site/navigation.ts';
import { diagrams } from '../scripts/diagram-files.ts';

const root = resolve(import.meta.dirname, '..');
const textOf = (path: string): string => readFileSync(resolve(root, path), 'utf8');
/** Pages below a folder, without its index. */
const pagesOf = (pattern: string): string[] =>
  globSync(pattern, { cwd: root }).filter(path => basename(path) !== 'README.md');

test('every page of the documentation is in the menu of the site, and nothing else', () => {
  const written = readGroups().filter(group => group !== REFERENCE);
  const listed = written.flatMap(({ pages }) => pages.map(({ path }) => `docs/${path}`));
  const pages = pagesOf('docs/**/*.md').filter(
    path => !/^docs\/(?:decisions|reference)\//.test(path) && path !== 'docs/index.md',
  );
  expect(listed.toSorted()).toEqual(['docs/decisions/README.md', ...pages].toSorted());
});

test('every decision is in their index, and nothing else', () => {
  const listed = [...textOf('docs/decisions/README.md').matchAll(/\]\(([\w-]+\.md)\)/g)].map(
    match => match[1],
  );
  expect(listed.toSorted()).toEqual(
    pagesOf('docs/decisions/*.md')
      .map(path => basename(path))
      .toSorted(),
  );
});

describe('links of the site', () => {
  const rendered = (href: string, repository: string | undefined): string => {
    const link = (type: string, value?: string) => ({
      type,
      children: null,
      attrGet: () => value ?? null,
      attrSet(_: string, changed: string) {
        value = changed;
      },
    });
    const tokens = [link('link_open', href), link('text', 'text'), link('link_close')];
    const block = { ...link('inline'), children: tokens };
    const push = (_: string, rule: (state: object) => void): void =>
      rule({ tokens: [block], env: { path: resolve(root, 'docs/dash/stores.md') } });
    linkPages({ core: { ruler: { push: push as never } } }, repository);
    return block.children.map(token => token.attrGet() ?? token.type).join(' ');
  };

  test.each([
    ['../../bench/README.md', 'https://x.example/msg/blob/HEAD/bench/README.md text link_close', 'text'],
    ['../../packages/core', 'https://x.example/msg/tree/HEAD/packages/core text link_close', 'text'],
    ['../README.md', '/pages text link_close', '/pages text link_close'],
    ['../decisions/README.md#a', '/decisions/#a text link_close', '/decisions/#a text link_close'],
    ['../sinks.md', '../sinks.md text link_close', '../sinks.md text link_close'],
  ])('%s leads to the repository when its address is known, else is plain text', (href, known, unknown) => {
    expect(rendered(href, 'https://x.example/msg')).toBe(known);
    expect(rendered(href, undefined)).toBe(unknown);
  });

  test('the address is the root field, in either of its forms', () => {
    expect(repositoryAddress({ repository: 'https://x.example/a' })).toBe('https://x.example/a');
    expect(repositoryAddress({ repository: { url: 'git+https://x.example/a.git' } })).toBe(
      'https://x.example/a',
    );
    expect(repositoryAddress({})).toBeUndefined();
  });
});

describe('the diagrams', () => {
  test.each(diagrams())('$name is drawn from its source; `npm run docs:diagrams` draws it anew', diagram => {
    const drawing = textOf(diagram.path);
    expect(drawing).toContain(diagram.digest);
    expect(drawing).not.toMatch(/<script|<style| style=|foreignObject/);
    expect(drawing.replaceAll(/(?:fill|stroke)="(?:none|var\(--[\w-]+, #[0-9a-f]{6}\))"/g, '')).not.toMatch(
      /(?:fill|stroke)="/,
    );
  });

  test('each stands in a page, with words for those who do not see it', () => {
    const pages = globSync('docs/**/*.md', { cwd: root }).map(textOf).join('\n');
    const shown = [...pages.matchAll(/!\[([^\]]{40,})\]\((?:\.\.\/)?diagrams\/([\w-]+)\.svg\)/g)].map(
      match => match[2],
    );
    expect([...new Set(shown)].toSorted()).toEqual(diagrams().map(({ name }) => name));
  });
});
