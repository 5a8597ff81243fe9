import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findImportFaults } from '../scripts/import-rules.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'imports-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function house(files: Record<string, string>): string[] {
  for (const [path, text] of Object.entries(files)) {
    const full = join(root, 'packages', path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, text);
    const name = path.split('/')[0] ?? '';
    writeFileSync(join(root, 'packages', name, 'package.json'), JSON.stringify({ name: `@msg/${name}` }));
  }
  return findImportFaults(root);
}

describe('import rules', () => {
  it('accept imports along the arrows', () => {
    expect(
      house({
        'protocol/src/index.ts': "export { a } from './a.ts';",
        'protocol/src/a.ts': 'export const a = 1;',
        'engine/src/index.ts': "import { a } from '@msg/protocol';\nimport x from 'node:http';",
        'core/src/index.ts': "import { suggest } from '@msg/foundation/suggest';",
        'server/src/cli/a.ts': "import { suggest } from '@msg/foundation/suggest';",
      }),
    ).toEqual([]);
  });

  it.each([
    [
      'a package below imports one above',
      { 'protocol/src/a.ts': "import type { N } from '@msg/engine';" },
      'must not import @msg/engine',
    ],
    [
      'the engine knows the vocabulary',
      { 'engine/src/a.ts': "import {\n  b,\n} from '@msg/core';" },
      'must not import @msg/core',
    ],
    [
      'an export from above',
      { 'core/src/a.ts': "export { b } from '@msg/server';" },
      'must not import @msg/server',
    ],
    [
      'an import on demand from above',
      { 'core/src/a.ts': "await import('@msg/server');" },
      'must not import @msg/server',
    ],
    [
      'the foundation imports a package',
      { 'foundation/src/json/a.ts': "import { a } from '@msg/core';" },
      '@msg/foundation must not import @msg/core',
    ],
    [
      'the protocol imports the foundation',
      { 'protocol/src/a.ts': "import { a } from '@msg/foundation/json';" },
      '@msg/protocol must not import @msg/foundation',
    ],
    [
      'a built-in in the foundation',
      { 'foundation/src/clock/a.ts': "import { performance } from 'node:perf_hooks';" },
      'runs in browsers',
    ],
    ['a package nobody drew', { 'extra/src/a.ts': 'export {};' }, 'not in the import table'],
    ['a built-in in browser code', { 'core/src/a.ts': "import { x } from 'node:fs';" }, 'runs in browsers'],
    [
      'a path out of the package',
      { 'core/src/a.ts': "import { x } from '../../server/src/b.ts';" },
      'leaves the package',
    ],
    [
      'a client command that loads the service',
      { 'server/src/cli/a.ts': "import { Msg } from '../msg.ts';", 'server/src/msg.ts': '' },
      'other than through the RPC',
    ],
    [
      'a client command that loads the engine',
      { 'server/src/cli/a.ts': "import { N } from '@msg/engine';" },
      'other than through the RPC',
    ],
    [
      'a cycle',
      { 'core/src/a.ts': "import { b } from './b.ts';", 'core/src/b.ts': "import { a } from './a.ts';" },
      'import cycle',
    ],
    [
      'a room that imports one above',
      { 'dash/src/store/a.ts': "import { b } from '../changeset/b.ts';", 'dash/src/changeset/b.ts': '' },
      'the room store must not import changeset/b.ts',
    ],
    [
      'a room that names a type of one above',
      { 'dash/src/catalog/a.ts': "import type { B } from '../resolve/b.ts';", 'dash/src/resolve/b.ts': '' },
      'the room catalog must not import resolve/b.ts',
    ],
    [
      'a room that loads one beside it on demand',
      { 'dash/src/http/a.ts': "await import('../mcp/b.ts');", 'dash/src/mcp/b.ts': '' },
      'the room http must not import mcp/b.ts',
    ],
    [
      'another file than the ones a room may import',
      { 'dash/src/changeset/a.ts': "import { b } from '../store/b.ts';", 'dash/src/store/b.ts': '' },
      'the room changeset must not import store/b.ts',
    ],
    [
      'a room that imports the entry',
      { 'dash/src/cli/a.ts': "import { b } from '../index.ts';", 'dash/src/index.ts': '' },
      'the room cli must not import index.ts',
    ],
    ['a folder that is no room', { 'dash/src/extra/a.ts': 'export {};' }, 'extra is not in the room table'],
    ['a file beside the rooms', { 'dash/src/extra.ts': 'export {};' }, 'extra.ts is not in the room table'],
  ])('refuse: %s', (_name, files, fault) => {
    expect(house(files as Record<string, string>).join('\n')).toContain(fault);
  });

  it.each([
    ['examples/chat/server.ts', "import { parsePattern } from '@msg/core/internal';", '@msg/core/internal'],
    [
      'docs/embedding.md',
      "```ts\nimport { isUtf8 } from '@msg/protocol/internal';\n```",
      '@msg/protocol/internal',
    ],
    ['README.md', "const { isUnread } = require('@msg/engine/internal');", '@msg/engine/internal'],
    ['packages/core/README.md', "await import('@msg/redis/internal');", '@msg/redis/internal'],
  ])('refuse an internal entry in %s', (path, text, entry) => {
    const inPackage = { 'core/src/a.ts': "import { b } from '@msg/core/internal';" };
    expect(house(inPackage)).toEqual([]);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    expect(house(inPackage)).toEqual([`${path}: ${entry} is for the packages of this repository alone`]);
  });

  it.each([
    ['scripts/page.ts', "import { A } from '../packages/dash/src/a.ts';"],
    ['bench/src/b.ts', "const { A } = await import('../../packages/dash/src/a.ts');"],
    ['packages/server/test/c.test.ts', "import type { A } from '../../dash/src/a.ts';"],
  ])('refuse a source of another package that %s reaches by its path', (path, text) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    const faults = house({ 'server/src/index.ts': 'export {};' });
    expect(faults).toEqual([
      `${path}: packages/dash/src/a.ts is reached by its path; take an entry of the package, such as /internal`,
    ]);
  });

  it('let a test reach the sources of its own package, and programs its entries', () => {
    mkdirSync(join(root, 'scripts'), { recursive: true });
    writeFileSync(join(root, 'scripts/a.ts'), "import { b } from '@msg/dash/internal';");
    mkdirSync(join(root, 'packages/server/test'), { recursive: true });
    writeFileSync(join(root, 'packages/server/test/a.test.ts'), "import { b } from '../src/b.ts';");
    expect(house({ 'server/src/index.ts': 'export {};' })).toEqual([]);
  });

  it('accept imports of rooms below, and of the files of a room that are named', () => {
    expect(
      house({
        'dash/src/index.ts': "export { a } from './changeset/a.ts';",
        'dash/src/changeset/a.ts': "import type { S } from '../store/contract.ts';\nexport const a = 1;",
        'dash/src/store/contract.ts': "import { D } from '../errors.ts';",
        'dash/src/errors.ts': "import { d } from './document/d.ts';",
        'dash/src/document/d.ts': 'export const d = 1;',
        'dash/src/cli/m.ts': "await import('../mcp/x.ts');",
        'dash/src/mcp/x.ts': 'export {};',
      }),
    ).toEqual([]);
  });

  it('let types form a cycle, and serve load the service on demand', () => {
    expect(
      house({
        'core/src/a.ts': "import type { B } from './b.ts';",
        'core/src/b.ts': "import { a } from './a.ts';",
        'server/src/cli/serve.ts': "const { Msg } = await import('../msg.ts');",
        'server/src/msg.ts': 'export {};',
      }),
    ).toEqual([]);
  });
});
