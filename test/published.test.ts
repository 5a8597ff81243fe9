import { describe, expect, it } from 'vitest';
import {
  isPublished,
  publishedManifest,
  withAddresses,
  withoutComments,
  withoutMap,
  withVersion,
} from '../scripts/published.ts';

const REPOSITORY = {
  address: 'https://git.example.com/a/b',
  isFolder: (path: string) => path === 'examples/chat' || path === 'packages/x',
};

describe('what is published of a package', () => {
  it('its links lead to the repository; anchors, addresses and code stay', () => {
    const page = [
      'See [the page](../../docs/keys.md#rotation), [an example](../../examples/chat), [here](#anchor),',
      '[far](https://example.com/x) and `[no](link.md)`.',
      '```md',
      '[no](link.md)',
      '```',
      '[label]: ../../docs/keys.md',
    ].join('\n');
    expect(withAddresses(page, 'packages/x', REPOSITORY)).toBe(
      [
        'See [the page](https://git.example.com/a/b/blob/main/docs/keys.md#rotation), ' +
          '[an example](https://git.example.com/a/b/tree/main/examples/chat), [here](#anchor),',
        '[far](https://example.com/x) and `[no](link.md)`.',
        '```md',
        '[no](link.md)',
        '```',
        '[label]: https://git.example.com/a/b/blob/main/docs/keys.md',
      ].join('\n'),
    );
  });

  it('its manifest holds addresses and no member of development', () => {
    const manifest = {
      name: '@msg/x',
      scripts: { test: 'x' },
      devDependencies: { a: '1' },
      exports: { '.': { 'msg-source': './src/index.ts', default: './dist/index.js' } },
    };
    expect(publishedManifest(manifest, 'packages/x', REPOSITORY)).toEqual({
      name: '@msg/x',
      exports: { '.': { default: './dist/index.js' } },
      homepage: 'https://git.example.com/a/b/tree/main/packages/x#readme',
      bugs: { url: 'https://git.example.com/a/b/issues' },
      repository: { type: 'git', url: 'git+https://git.example.com/a/b.git', directory: 'packages/x' },
    });
  });

  it('code and types say the version of the package, and nothing else changes', () => {
    expect(withVersion("export const VERSION = 'dev';\n", '1.2.3')).toBe("export const VERSION = '1.2.3';\n");
    expect(withVersion('export declare const VERSION = "dev";\n', '1.2.3')).toBe(
      'export declare const VERSION = "1.2.3";\n',
    );
    const others = "const VERSION = 'dev'; export const VERSION = ownVersion();";
    expect(withVersion(others, '1.2.3')).toBe(others);
  });

  it('maps, states of the compiler and comments of pages are left out', () => {
    const files = ['dist/a.js', 'dist/a.js.map', 'dist/.tsbuildinfo', 'README.md'].map(path => ({ path }));
    expect(files.filter(isPublished).map(({ path }) => path)).toEqual(['dist/a.js', 'README.md']);
    expect(withoutMap('a();\n//# sourceMappingURL=a.js.map')).toBe('a();\n');
    expect(withoutMap('a();\n')).toBe('a();\n');
    expect(withoutComments('a\n\n<!--\n```sh\nx\n```\n-->\nb')).toBe('a\n\nb');
  });
});
