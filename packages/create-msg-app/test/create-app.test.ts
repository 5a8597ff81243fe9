import { hash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CreateError, createApp, PAGES, type PageName, TEMPLATES, type TemplateName } from '#src/index.ts';

const ROOT = join(import.meta.dirname, '../../..');
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const manifestOf = (folder: string) =>
  JSON.parse(read(ROOT, folder, 'package.json')) as Record<string, Record<string, string>>;

const APPS = Object.keys(TEMPLATES).flatMap(template =>
  Object.keys(PAGES).map(page => [template, page] as [TemplateName, PageName]),
);

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'create-msg-app-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

describe.each(APPS)('the template %s with %s', (template, page) => {
  let folder: string;
  let files: readonly string[];
  beforeEach(() => {
    folder = join(home, 'my-app');
    files = createApp({ folder, template, page });
  });

  it('has a backend, a page, a test, a page to read and everything they need', () => {
    expect(files).toEqual(
      expect.arrayContaining([
        '.env',
        '.gitignore',
        'README.md',
        'msg.yaml',
        'server/main.ts',
        'test/app.test.ts',
      ]),
    );
    const written = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    expect(files).toEqual(written.filter(path => statSync(join(folder, path)).isFile()).toSorted());
    expect(JSON.parse(read(folder, 'package.json')).name).toBe('my-app');
    for (const path of files) {
      const text = read(folder, path);
      expect(text, path).not.toMatch(/\{\{|biome-ignore|registry\.npmjs|TODO/);
      expect(text.split('\n').length, path).toBeLessThan(250);
    }
  });

  it('its README has at most ten lines, and names every script', () => {
    const page = read(folder, 'README.md');
    expect(page.split('\n').filter(line => line !== '').length).toBeLessThanOrEqual(10);
    for (const script of ['npm run dev', 'npm test', 'npm run build', 'npm start'])
      expect(page).toContain(script);
  });

  it('its key is in a file that Git ignores and only the owner reads; the configuration has the digest', () => {
    const [, key = ''] = /^MSG_KEY=(msgk_[a-z2-7]{8}_[\w-]{43})$/m.exec(read(folder, '.env')) ?? [];
    expect(statSync(join(folder, '.env')).mode & 0o777).toBe(0o600);
    expect(read(folder, '.gitignore').split('\n')).toContain('.env');
    expect(read(folder, 'msg.yaml')).toContain(hash('sha256', key, 'hex'));
    for (const path of files.filter(path => path !== '.env')) expect(read(folder, path)).not.toContain(key);
  });

  it('what it depends on is what this repository is tested with', () => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(read(folder, 'package.json'));
    const ours = manifestOf('packages/create-msg-app')['version'];
    const [root, react] = ['.', 'packages/react'].map(path => manifestOf(path)['devDependencies']);
    const known: Record<string, string> = { ...root, ...react };
    for (const [name, version] of Object.entries<string>({ ...dependencies, ...devDependencies })) {
      if (name.startsWith('@msg/')) expect(version, name).toBe(`^${ours}`);
      else if (name in known) expect(version.replace('^', ''), name).toBe(known[name]?.replace('^', ''));
    }
  });
});

it('each key is another one', () => {
  const keys = ['a', 'b'].map(name => {
    createApp({ folder: join(home, name), template: 'chat', page: 'vanilla' });
    return read(home, name, '.env');
  });
  expect(new Set(keys).size).toBe(2);
});

it('an empty folder, or one with a new Git repository, is taken', () => {
  mkdirSync(join(home, 'empty'));
  mkdirSync(join(home, 'cloned/.git'), { recursive: true });
  for (const name of ['empty', 'cloned']) {
    createApp({ folder: join(home, name), template: 'orders', page: 'react' });
    expect(existsSync(join(home, name, 'package.json'))).toBe(true);
  }
});

describe('refused, and nothing is written', () => {
  const refused = (folder: string): CreateError => {
    const before = readdirSync(home, { recursive: true });
    let failure: unknown;
    try {
      createApp({ folder: join(home, folder), template: 'chat', page: 'react' });
    } catch (error) {
      failure = error;
    }
    expect(readdirSync(home, { recursive: true })).toEqual(before);
    if (failure instanceof CreateError) return failure;
    throw new Error('it was not refused', { cause: failure });
  };

  it('a folder that holds something', () => {
    mkdirSync(join(home, 'full'));
    writeFileSync(join(home, 'full/note.txt'), '');
    expect(refused('full').message).toMatch(/full is not empty$/);
  });

  it('a file', () => {
    writeFileSync(join(home, 'file'), '');
    expect(refused('file').message).toMatch(/file is a file$/);
  });

  it.each([
    ['My App', 'my-app'],
    ['_hidden', 'hidden'],
    ['.dotted', 'dotted'],
    ['ümläut', 'ml-ut'],
    ['node_modules', 'node-modules'],
    ['!', 'my-app'],
    ['x'.repeat(215), 'my-app'],
  ])('the name %s', (name, suggestion) => {
    const { message, remedy } = refused(name);
    expect(message).toContain('cannot be the name of an app');
    expect(remedy).toMatch(new RegExp(`such as ${suggestion}$`));
  });
});

it('the colours and sizes are those of the documentation', () => {
  const declarations = (path: string): string[] =>
    [...read(ROOT, path).matchAll(/^ {2}(--[\w-]+:[^;]+);/gm)].map(([, text = '']) =>
      text.replaceAll(/\s+/g, ' '),
    );
  const known = new Set(declarations('docs/.vitepress/theme/tokens.css'));
  const used = declarations('packages/create-msg-app/templates/common/page/tokens.css');
  expect(used.length).toBeGreaterThan(30);
  expect(used.filter(text => !known.has(text))).toEqual([]);
});
