import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const LIMIT_BYTES = 3000;

it('is at most 3 kB of its own, minified and compressed, and holds nothing of Node.js', async () => {
  const { outputFiles } = await build({
    stdin: {
      contents: "export * from '@msg/react'",
      resolveDir: fileURLToPath(new URL('..', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['msg-source'],
    external: ['react', '@msg/client'],
    write: false,
  });
  const text = outputFiles[0]?.text ?? '';
  const size = gzipSync(text, { level: 9 }).length;
  console.log(`@msg/react: ${size} bytes, minified and gzipped, without React and the client`);
  expect(size).toBeLessThanOrEqual(LIMIT_BYTES);
  expect(/["']node:/.test(text)).toBe(false);
});
