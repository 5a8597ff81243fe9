import { join, resolve } from 'node:path';
import { build } from 'esbuild';

const HERE = import.meta.dirname;
const REACT_18 = resolve(HERE, '../../../../test/react-18/node_modules');

/** The versions of React that the hooks are for, with where they are installed. */
export const REACTS: readonly (readonly [version: string, alias: Record<string, string>])[] = [
  ['18', { react: join(REACT_18, 'react'), 'react-dom': join(REACT_18, 'react-dom') }],
  ['19', {}],
];

/** `page.ts` as a script with the global `page`; Fast Refresh is in place before React. */
export async function bundlePage(alias: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { injectIntoGlobalHook } from 'react-refresh/runtime';
        injectIntoGlobalHook(globalThis);
        export const loaded = import('./page.ts').then(({ page }) => page);`,
      resolveDir: HERE,
      loader: 'ts',
    },
    bundle: true,
    format: 'iife',
    globalName: 'bundle',
    define: { 'process.env.NODE_ENV': '"development"' },
    conditions: ['msg-source'],
    alias,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}

/** The same for Node.js, as a module of CommonJS: `render(shown)` answers HTML. */
export async function bundleServer(alias: Record<string, string>): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import { renderToString } from 'react-dom/server';
        import { render } from './page.ts';
        export const renderPage = shown => render(shown, renderToString);`,
      resolveDir: HERE,
      loader: 'ts',
    },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    define: { 'process.env.NODE_ENV': '"development"' },
    conditions: ['msg-source'],
    alias,
    write: false,
  });
  return outputFiles[0]?.text ?? '';
}
