// The program of session threads in one file: each thread loads it again, and reading five hundred modules took most of
// its start. Ours is inside, with its chunks beside it; packages of others are imported as in the modules. A checkout runs
// the modules themselves.
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { build, type Plugin } from 'esbuild';

const packages = join(import.meta.dirname, '../packages');
const dist = join(packages, 'server/dist');
const destination = join(dist, 'threads/program');
// What runs meanwhile finds a whole program.
const folder = `${destination}-${process.pid}`;

/** Only main has a store, and `lua` reads its scripts from beside the modules. */
const OF_MAIN = /\/stores\/redis-stores\.js$/;
/** Its files are read from where it is installed. */
const OTHER_FILES = '@msg/console';

const asInModules: Plugin = {
  name: 'as-in-modules',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[^.#/]/ }, ({ path }) =>
      path.startsWith('@msg/') && path !== OTHER_FILES ? undefined : { path, external: true },
    );
    onResolve({ filter: OF_MAIN }, ({ path, resolveDir }) => ({
      path: fromFolder(join(resolveDir, path)),
      external: true,
    }));
    onLoad({ filter: /\/packages\/[^/]+\/dist\/.*\.js$/ }, ({ path }) => {
      const text = readFileSync(path, 'utf8');
      if (!text.includes('import.meta.url')) return undefined;
      if (!path.startsWith(join(dist, sep))) throw new Error(`${path} asks where it is`);
      const address = `new URL(${JSON.stringify(fromFolder(path))}, import.meta.url).href`;
      return { contents: text.replaceAll('import.meta.url', address), resolveDir: dirname(path) };
    });
  },
};

/** The path of a file as a module in the folder of the program writes it. */
function fromFolder(path: string): string {
  return relative(destination, path).split(sep).join('/');
}

mkdirSync(folder, { recursive: true });
await build({
  entryPoints: [join(dist, 'threads/entry.js')],
  outdir: folder,
  bundle: true,
  splitting: true,
  sourcemap: true,
  sourcesContent: false,
  format: 'esm',
  platform: 'node',
  target: 'node22.12',
  plugins: [asInModules],
  logLevel: 'warning',
});
rmSync(destination, { recursive: true, force: true });
renameSync(folder, destination);
