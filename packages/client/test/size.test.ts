import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, test } from 'vitest';

const LIMIT_BYTES = 7.5 * 1024;

/** What a browser loads for an import, without the stock client. */
async function bundle(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: fileURLToPath(new URL('..', import.meta.url)), loader: 'ts' },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['msg-source'],
    external: ['centrifuge'],
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

test('the main entry is at most 7.5 KiB, minified and compressed, and imports no module of Node.js', async () => {
  const text = await bundle("export * from '@msg/client'");
  const size = gzipSync(text, { level: 9 }).length;
  console.log(`@msg/client: ${size} bytes, minified and gzipped, without the stock client`);
  expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
  expect(text).not.toMatch(/node:/);
});

test('entries bring along only what they hold', async () => {
  const entries = { channels: 2, scopes: 2, appends: 2.25 };
  for (const [name, kibibytes] of Object.entries(entries)) {
    const text = await bundle(`export * from '@msg/client/${name}'`);
    expect(text, name).not.toContain('centrifuge');
    expect(gzipSync(text).length, name).toBeLessThan(kibibytes * 1024);
  }
  expect(
    await bundle("import { isPrivate } from '@msg/client'; console.log(isPrivate('public:a.b'))"),
  ).not.toContain('RefreshToken');
});
