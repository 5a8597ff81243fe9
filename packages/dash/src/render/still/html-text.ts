import type { ResolvedNode } from '../../resolve/tree.ts';
import type { RenderContext } from '../context.ts';
import { leafRenderer } from '../items/leaves.ts';

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
/** Elements that are for the hand or are drawings: their text is not that of the item. */
const LEFT_OUT: ReadonlySet<string> = new Set(['button', 'svg', 'summary']);
/** Elements that end a line. */
const BLOCKS: ReadonlySet<string> = new Set(
  'p h1 h2 h3 h4 h5 h6 tr dt dd pre blockquote ul ol div'.split(' '),
);

/** What a node of any other type says on the page, as text: a line for each paragraph and list entry. */
export function htmlText(node: ResolvedNode, context: RenderContext): string {
  const html = String(leafRenderer(node.type.name)(node, { ...context, framesPictures: 'all' }));
  let text = '';
  let depth = 0;
  for (const [token] of html.matchAll(/<[^<>]*>|[^<>]+/g)) {
    const tag = /^<(\/?)([a-z0-9]+)/.exec(token);
    const [, slash = '', name = ''] = tag ?? [];
    if (LEFT_OUT.has(name)) depth += slash === '' ? 1 : -1;
    else if (depth > 0) continue;
    else if (tag === null) text += token;
    else if (name === 'li' && slash === '') text += '\n• ';
    else if (slash !== '' && BLOCKS.has(name)) text += '\n';
    else if (slash !== '' && (name === 'td' || name === 'th')) text += '  ';
  }
  return text
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
    .join('\n');
}
