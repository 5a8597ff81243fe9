import type { Finding } from './allowance.ts';
import { lineOf, type ParsedFile, parseFolders, type SyntaxNode, walk } from './syntax.ts';

/** Globals and imports that read time, wait, draw at random, or run when the collector did. */
const NAMES = new Set([
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'hrtime',
  'getRandomValues',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
  'monitorEventLoopDelay',
  'PerformanceObserver',
  'FinalizationRegistry',
  'WeakRef',
]);
const MEMBERS = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'performance.timeOrigin',
  'AbortSignal.timeout',
  'process.hrtime',
  'crypto.getRandomValues',
  'crypto.randomUUID',
]);

/** Where time and randomness come from, with the reason. Everywhere else they are injected. */
export const HOMES: readonly (readonly [place: string, reason: string])[] = [
  ['packages/foundation/src/clock/', 'the clock itself'],
  ['packages/client/src/client-tokens.ts', 'the page: its time is passed on from here'],
  ['packages/react/src/shared-channel.ts', 'the page: a subscription ends 250 ms after its last component'],
  ['packages/client/src/scopes.ts', 'the default of an argument'],
  ['packages/server/src/cli/', 'a process of its own'],
  [
    'packages/server/src/nodes/process-figures.ts',
    'how late the loop of this process runs, while somebody looks',
  ],
  ['packages/server/src/threads/loop-lag.ts', 'how late the loop of a thread runs, once somebody has asked'],
  ['packages/server/src/notify/sinks/webpush/encryption.ts', 'key and salt are made together, of one source'],
  ['packages/codegen/src/generate.ts', 'the name of a draft, which no other process may choose'],
  ['packages/create-msg-app/src/api-key.ts', 'a secret that is made once, by a program that then ends'],
  ['packages/dash/src/store/', 'names of locks and drafts, which no other process may choose'],
  ['packages/testkit/', 'tests wait for real programs'],
  ['packages/sim/src/', 'the simulator, which replaces time and chance'],
];

/** Places of the table in which nothing uses real time any more. */
export function unneededHomes(files: readonly ParsedFile[], homes = HOMES): string[] {
  const used = files.filter(file => rawTimeOf(file).length > 0);
  return homes
    .filter(([place]) => !used.some(({ path }) => path.startsWith(place)))
    .map(
      ([place]) => `${place}: nothing there uses real time any more; remove it from scripts/time-rules.ts`,
    );
}

/** Sources of the packages, components included. */
export function timeSources(root: string, packages: readonly string[]): ParsedFile[] {
  const folders = packages.map(folder => `${folder}/src`);
  return parseFolders(root, folders, /\.m?tsx?$/);
}

/** Uses of real time and randomness outside their homes. */
export function rawTimeOutside(files: readonly ParsedFile[]): Finding[] {
  return files.filter(({ path }) => !HOMES.some(([place]) => path.startsWith(place))).flatMap(rawTimeOf);
}

/** Uses in one file. */
export function rawTimeOf({ path, text, program }: ParsedFile): Finding[] {
  const findings: Finding[] = [];
  walk(program, (node, parent, member) => {
    const use = useOf(node, parent, member);
    if (use === undefined) return;
    const room = path.split('/')[1] ?? '';
    findings.push({ key: `${room}: ${use}`, text: `${path}:${lineOf(text, node.start)}` });
  });
  return findings;
}

function useOf(node: SyntaxNode, parent: SyntaxNode | undefined, member: string): string | undefined {
  if (node.type === 'ImportDeclaration') return timersOf(node['source']);
  if (node.type === 'ImportSpecifier')
    return timersOf(parent?.['source']) === undefined ? renamedOf(node) : undefined;
  if (node.type === 'MemberExpression' && node['computed'] !== true) {
    const [object, property] = [nameOf(node['object']), nameOf(node['property'])];
    const path = `${object}.${property}`;
    if (MEMBERS.has(path)) return path;
    return object === 'globalThis' && NAMES.has(property) ? property : undefined;
  }
  if (node.type === 'NewExpression' && nameOf(node['callee']) === 'Date') {
    return (node['arguments'] as unknown[]).length === 0 ? 'new Date()' : undefined;
  }
  if (node.type !== 'Identifier' || !NAMES.has(String(node['name']))) return undefined;
  return isReference(parent, member) ? String(node['name']) : undefined;
}

/** The module of Node.js that has timers under any name. */
function timersOf(source: unknown): string | undefined {
  const { value } = source as { readonly value: string }; // of an import
  return /^(?:node:)?timers(?:\/promises)?$/.test(value) ? value : undefined;
}

/** What an import gives another name; the rest is found where it is used. */
function renamedOf({ imported, local }: SyntaxNode): string | undefined {
  const name = nameOf(imported);
  return NAMES.has(name) && nameOf(local) !== name ? name : undefined;
}

/** False where the name is that of a member, a declaration or an import. */
function isReference(parent: SyntaxNode | undefined, member: string): boolean {
  if (parent === undefined) return false;
  if (member === 'property') return parent['computed'] === true;
  if (member === 'key' || member === 'id' || member === 'params') return false;
  return !/^(?:Import|Export|TS)/.test(parent.type);
}

function nameOf(node: unknown): string {
  return typeof node === 'object' && node !== null && 'name' in node ? String(node.name) : '';
}
