import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { type Declaration, Entries, memberNames } from '../scripts/outside/entries.ts';
import { publicPackages } from '../scripts/packages.ts';
import { ROOT } from './support/pages.ts';

const entries = new Entries(ROOT, publicPackages(ROOT));

/** Names of the members of an exported class or interface. */
function membersOf(entry: string, name: string): string[] {
  const [declaration] = entries.of(entry).get(name) ?? [];
  if (declaration === undefined) throw new Error(`${entry} has no ${name}`);
  return memberNames(declaration as Declaration).map(member => member.replace(/^static |\?$/g, ''));
}

/** The cells of the rows of the table below a heading. */
function rowsBelow(path: string, heading: string): string[][] {
  const [, text = ''] = readFileSync(path, 'utf8').split(`\n## ${heading}\n`);
  const rows = (text.split(/\n##+ /)[0] ?? '').match(/^\|.*\|$/gm) ?? [];
  return rows.slice(2).map(row => row.slice(2, -2).split(' | '));
}

/** The names that begin code in backticks. */
const namesIn = (text = ''): string[] =>
  [...text.matchAll(/`(?:msg\.)?([A-Za-z]\w*)[^`]*`/g)].map(([, name = '']) => name);

describe('docs/embedding.md', () => {
  const page = readFileSync('docs/embedding.md', 'utf8');
  const groups: Readonly<Record<string, string>> = {
    'msg.channels': 'ChannelGroup',
    msg: 'Msg',
    'msg.tokens': 'TokenGroup',
    'msg.keys': 'KeyGroup',
    'msg.apiKeys': 'ApiKeyGroup',
    'msg.schemas': 'SchemaRegistry',
    'msg.sinks': 'SinkRegistry',
    'msg.deadLetters': 'DeadLetters',
    'about itself': 'Msg',
  };
  const rows = rowsBelow('docs/embedding.md', 'Operations').map(
    ([group = '', operations = '']) => [group.replaceAll('`', ''), operations] as const,
  );

  it.each(rows)('names operations of %s that are there', (group, operations) => {
    const members = membersOf('@msg/server', groups[group] ?? group);
    expect(namesIn(operations).filter(name => !members.includes(name))).toEqual([]);
  });

  it.each(['Msg', 'ChannelGroup', 'TokenGroup', 'KeyGroup', 'ApiKeyGroup', 'DeadLetters'])(
    'names every operation of %s',
    name => {
      const named = [...page.matchAll(/\b[A-Za-z]\w*/g)].map(([word]) => word);
      expect(membersOf('@msg/server', name).filter(member => !named.includes(member))).toEqual([]);
    },
  );

  it('names options that are there', () => {
    const options = [...membersOf('@msg/server', 'MsgOptions'), 'rules'];
    const named = rowsBelow('docs/embedding.md', 'What you can put in').flatMap(([cell]) => namesIn(cell));
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter(name => !options.includes(name))).toEqual([]);
  });

  it('names every route that can be taken off', () => {
    const [, list = ''] = /\*\*Routes off\.\*\*[\s\S]*?of the\s+application: ([\s\S]*?)\.\n/.exec(page) ?? [];
    expect(namesIn(list).toSorted()).toEqual(membersOf('@msg/server', 'RouteOptions').toSorted());
  });
});

describe('docs/browser-client.md', () => {
  it('names every option, and no other', () => {
    const named = rowsBelow('docs/browser-client.md', 'Options').flatMap(([cell]) => namesIn(cell));
    expect(named.toSorted()).toEqual(membersOf('@msg/client', 'MsgClientOptions').toSorted());
  });

  it('names every member, and no other', () => {
    const named = rowsBelow('docs/browser-client.md', 'Members').flatMap(([cell]) => namesIn(cell));
    const members = membersOf('@msg/client', 'MsgClient');
    expect([...new Set(named)].filter(name => !members.includes(name))).toEqual([]);
    const page = readFileSync('docs/browser-client.md', 'utf8');
    expect(members.filter(name => !page.includes(name))).toEqual([]);
  });
});

describe('README.md and the home page', () => {
  it('name the languages of clients that the conformance page has', () => {
    const conformance = readFileSync('docs/conformance.md', 'utf8');
    const [, sentence = ''] =
      /those for ([^.]*?) are\n\[tested\]/.exec(readFileSync('README.md', 'utf8')) ?? [];
    const languages = sentence.split(/, | and /);
    expect(languages.length).toBeGreaterThan(3);
    for (const language of languages) expect(conformance).toMatch(new RegExp(`^\\| ${language} `, 'm'));
  });
});
