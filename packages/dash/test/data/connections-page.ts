import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The page on connections. */
export const CONNECTIONS_PAGE = readFileSync(
  fileURLToPath(new URL('../../../../docs/dash/connections.md', import.meta.url)),
  'utf8',
);

/** A section of the page about one type: the JSON of its example, and its SQL. */
export interface TypeSection {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: examples of every shape
  readonly blocks: readonly any[];
  readonly sql: string;
}

const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1] ?? '');

/** The sections with an example. */
export const TYPE_SECTIONS: readonly TypeSection[] = CONNECTIONS_PAGE.split(/^## /m)
  .map(text => ({
    name: /^`(\w+)`/.exec(text)?.[1] ?? '',
    blocks: blocksOf(text, 'json').map(json => JSON.parse(json)),
    sql: blocksOf(text, 'sql').join('\n'),
  }))
  .filter(({ blocks }) => blocks.length > 0);

/** The section about a type. */
export function sectionOf(type: string): TypeSection {
  const section = TYPE_SECTIONS.find(({ name }) => name === type);
  if (section === undefined) throw new Error(`the page has no example of ${type}`);
  return section;
}
