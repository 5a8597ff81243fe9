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
  ])('refuse: %s', (_name, files, fault) => {
    expect(house(files as Record<string, string>).join('\n')).toContain(fault);
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
