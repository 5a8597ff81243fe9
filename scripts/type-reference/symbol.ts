import {
  ApiDeclaredItem,
  ApiDocumentedItem,
  type ApiItem,
  ApiItemContainerMixin,
  ApiItemKind,
  ExcerptTokenKind,
} from '@microsoft/api-extractor-model';
import { type AddressOf, detailsOf, linkedName, markdownOf } from './comment.ts';
import { nameOf, type ReferenceSymbol } from './extract.ts';

const commentOf = (item: ApiItem) => (item instanceof ApiDocumentedItem ? item.tsdocComment : undefined);

const membersOf = (item: ApiItem): readonly ApiItem[] =>
  ApiItemContainerMixin.isBaseClassOf(item) ? item.members : [];

/** The first of a symbol's declarations that says what it is. */
function documented({ items }: ReferenceSymbol): ApiItem | undefined {
  return items.find(item => (commentOf(item)?.summarySection.nodes.length ?? 0) > 0);
}

/** The first sentence of what a symbol is, in one line; undefined for one that says nothing. */
export function sentenceOf(symbol: ReferenceSymbol, addressOf: AddressOf): string | undefined {
  const item = documented(symbol);
  const summary = item === undefined ? undefined : commentOf(item)?.summarySection;
  if (summary === undefined) return undefined;
  const text = markdownOf(summary, addressOf).replaceAll(/\s+/g, ' ');
  return /^.*?[.:](?= [A-Z`]|$)/.exec(text)?.[0] ?? text;
}

/** The declaration of an item with those of its members, without comments. */
function declarationOf(item: ApiItem): string {
  if (!(item instanceof ApiDeclaredItem)) return '';
  const name = nameOf(item);
  const text = item.excerpt.text
    .replace(/^(?:export )?(?:declare )?/, item.kind === ApiItemKind.Variable ? 'const ' : '')
    .replaceAll(item.displayName, name)
    .replace(/[\s;]*$/, '');
  const members = membersOf(item).filter(member => member instanceof ApiDeclaredItem);
  if (members.length === 0)
    return /^(?:class|interface|abstract class)\b/.test(text) ? `${text} {}` : `${text};`;
  const lines = members.map(
    member => `  ${member.excerpt.text.replace(/;?$/, ';').replaceAll('\n', '\n  ')}`,
  );
  return `${text} {\n${lines.join('\n')}\n}`;
}

/** Names that declarations of an item mention, in order. */
function mentioned(item: ApiItem): string[] {
  if (!(item instanceof ApiDeclaredItem)) return [];
  const own = item.excerptTokens
    .filter(({ kind }) => kind === ExcerptTokenKind.Reference)
    .map(({ text }) => text.replace(/_\d+$/, ''));
  return [...own, ...membersOf(item).flatMap(mentioned)];
}

/** The name of a member as its row says it: `get(name)`. */
function memberLabel(item: ApiItem): string {
  const name = item.displayName === '(constructor)' ? 'constructor' : item.displayName;
  return `\`${name.replace(/^\(|\)$/g, '')}\``;
}

function memberRows(item: ApiItem, addressOf: AddressOf): string[] {
  return membersOf(item).flatMap(member => {
    const comment = commentOf(member);
    if (comment === undefined) return [];
    const text = markdownOf(comment.summarySection, addressOf);
    const details = detailsOf(comment, addressOf).map(row => row.slice(2));
    const cell = [text, ...details]
      .filter(part => part !== '')
      .join(' · ')
      .replaceAll(/\s+/g, ' ')
      .replaceAll('|', '\\|');
    return cell === '' ? [] : [`| ${memberLabel(member)} | ${cell} |`];
  });
}

/** The section of a symbol: what it is, its declaration, what its members are, and the types it mentions. */
export function symbolSection(symbol: ReferenceSymbol, addressOf: AddressOf): string {
  const item = documented(symbol);
  const comment = item === undefined ? undefined : commentOf(item);
  if (comment === undefined) throw new Error(`${symbol.name} says nothing of itself`);
  const details = detailsOf(comment, addressOf);
  const rows = symbol.items.flatMap(declared => memberRows(declared, addressOf));
  const types = [...new Set(symbol.items.flatMap(mentioned))].filter(
    name => name !== symbol.name && addressOf(name) !== undefined,
  );
  return [
    `### ${symbol.name}`,
    markdownOf(comment.summarySection, addressOf),
    comment.remarksBlock === undefined ? '' : markdownOf(comment.remarksBlock.content, addressOf),
    details.join('\n'),
    `\`\`\`ts\n${symbol.items.map(declarationOf).join('\n')}\n\`\`\``,
    rows.length === 0 ? '' : `| Member | What it is |\n|---|---|\n${rows.join('\n')}`,
    types.length === 0 ? '' : `Types: ${types.map(name => linkedName(name, addressOf)).join(', ')}`,
  ]
    .filter(part => part !== '')
    .join('\n\n');
}
