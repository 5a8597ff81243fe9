import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './allowance.ts';
import { lineOf, type ParsedFile, parseFolders, type SyntaxNode, walk } from './syntax.ts';

/** The words that the code gave up, from `scripts/words.json`. */
export interface WordList {
  /**
   * Names that nothing is declared by. One that begins with a capital letter is also refused as a part of a longer name
   * (`Inbox`: `InboxOwner`, `PeerInbox`), one in small letters as a whole name only.
   */
  readonly identifiers: readonly string[];
  /** Names that no variable, parameter or function has: participles say how a value came, a noun says what it is. */
  readonly localNames: readonly string[];
  /** Whole names that a folder gave up for those of the glossary: nothing below it is declared by one. */
  readonly renamed: Readonly<Record<string, readonly string[]>>;
  /** Phrases that no comment and no text holds, but as part of those in `not`. */
  readonly phrases: readonly { readonly phrase: string; readonly not?: readonly string[] }[];
  readonly exceptions: readonly { readonly word: string; readonly below: string; readonly reason: string }[];
}

export function readWords(root: string): WordList {
  return JSON.parse(readFileSync(join(root, 'scripts/words.json'), 'utf8')) as WordList; // written by hand, see there
}

/** Old words in the sources of packages, in the bench and in the conformance suites. */
export function findWords(root: string, packages: readonly string[]): Finding[] {
  const words = readWords(root);
  const sources = parseFolders(
    root,
    packages.map(folder => `${folder}/src`),
  );
  const named = [...sources, ...parseFolders(root, ['bench', 'conformance'])];
  return [...named.flatMap(file => namesIn(file, words)), ...sources.flatMap(file => phrasesIn(file, words))];
}

/** Names of the deny list that a file declares, its own name included. */
export function namesIn(
  file: ParsedFile,
  { identifiers, localNames, renamed, exceptions }: WordList,
): Finding[] {
  const { path, text, program } = file;
  const old = Object.entries(renamed).flatMap(([below, names]) =>
    path.startsWith(`${below}/`) ? names : [],
  );
  const findings: Finding[] = [];
  const check = (name: string, line: number): void => {
    for (const word of identifiers.filter(denied => isNamed(name, denied))) {
      if (exceptions.some(exception => exception.word === word && path.startsWith(exception.below))) continue;
      findings.push({ key: `${roomOf(path)}: ${word}`, text: `${path}:${line} declares ${name}` });
    }
  };
  for (const part of path.replace(/\.m?ts$/, '').split('/')) check(part, 1);
  walk(program, (node, parent, member) => {
    if (!isDeclared(node, parent, member)) return;
    const name = String(node['name']);
    const line = lineOf(text, node.start);
    check(name, line);
    if (old.includes(name))
      findings.push({
        key: `${roomOf(path)}: ${name}`,
        text: `${path}:${line} declares ${name}: the glossary has another word`,
      });
    if (localNames.includes(name) && !identifiers.includes(name) && isLocal(parent, member))
      findings.push({
        key: `${roomOf(path)}: ${name}`,
        text: `${path}:${line} declares ${name}: name the value by a noun`,
      });
  });
  return findings;
}

function isNamed(name: string, word: string): boolean {
  if (!/^[A-Z]/.test(word)) return name === word;
  const at = name.indexOf(word);
  // The next letter begins another word of the name.
  return at >= 0 && !/[a-z]/.test(name[at + word.length] ?? '');
}

const DECLARATIONS =
  /^(?:VariableDeclarator|FunctionDeclaration|FunctionExpression|ClassDeclaration|ClassExpression|TSInterfaceDeclaration|TSTypeAliasDeclaration|TSTypeParameter)$/;
const MEMBERS =
  /^(?:PropertyDefinition|MethodDefinition|AccessorProperty|TSPropertySignature|TSMethodSignature)$/;

/** True for the name of a variable, parameter, function, class, type or member. */
function isDeclared(node: SyntaxNode, parent: SyntaxNode | undefined, member: string): boolean {
  if (node.type !== 'Identifier' && node.type !== 'PrivateIdentifier') return false;
  const type = parent?.type ?? '';
  if (member === 'id' || member === 'name') return DECLARATIONS.test(type);
  if (member === 'key') return MEMBERS.test(type);
  if (member === 'params' || type === 'RestElement') return true;
  // `{ given }` in a pattern: the value is what is declared.
  if (type === 'AssignmentPattern') return member === 'left';
  return (
    type === 'ArrayPattern' || (type === 'Property' && member === 'value' && parent?.['shorthand'] === true)
  );
}

/** True for a declared name that its file chose: neither a member nor a member's name in a pattern. */
function isLocal(parent: SyntaxNode | undefined, member: string): boolean {
  return member !== 'key' && parent?.type !== 'Property';
}

/** Phrases of the list in the comments and texts of a file. */
export function phrasesIn({ path, text, program }: ParsedFile, { phrases, exceptions }: WordList): Finding[] {
  const texts: [start: number, end: number][] = [];
  walk(program, node => {
    const isText = node.type === 'Literal' && typeof node['value'] === 'string';
    if (isText || node.type === 'TemplateElement') texts.push([node.start, node.end]);
  });
  const findings: Finding[] = [];
  for (const [start, end] of [...texts, ...commentsOf(text, texts)]) {
    // A phrase may go on in the next line of a comment.
    const prose = text
      .slice(start, end)
      .replace(/\n\s*(?:\*|\/\/)?\s*/g, ' ')
      .toLowerCase();
    for (const { phrase, not = [] } of phrases) {
      if (exceptions.some(({ word, below }) => word === phrase && path.startsWith(below))) continue;
      const allowed = not.reduce((rest, part) => rest.replaceAll(part, ''), prose);
      const count = allowed.split(phrase).length - 1;
      for (let i = 0; i < count; i++) {
        const place = `${path}:${lineOf(text, start)}`;
        findings.push({
          key: `${roomOf(path)}: "${phrase.trim()}"`,
          text: `${place} says "${phrase.trim()}"`,
        });
      }
    }
  }
  return findings;
}

/** Ranges of the comments: what begins like one and does not begin in a text. */
function commentsOf(text: string, texts: readonly (readonly [number, number])[]): [number, number][] {
  const comments: [number, number][] = [];
  const pattern = /\/\/[^\n]*(?:\n\s*\/\/[^\n]*)*|\/\*[\s\S]*?\*\//g;
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { index } = match;
    const around = texts.find(([start, end]) => start <= index && index < end);
    if (around === undefined) comments.push([index, index + match[0].length]);
    else pattern.lastIndex = around[1];
  }
  return comments;
}

function roomOf(path: string): string {
  const [first = '', second = ''] = path.split('/');
  return first === 'packages' ? second : first;
}
