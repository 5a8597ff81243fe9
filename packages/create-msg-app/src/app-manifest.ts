import type { PageName } from './choices.ts';

type Versions = Readonly<Record<string, string>>;

/** What every app is built and checked with. */
const TOOLS: Versions = { '@types/node': '^26.0.0', typescript: '^7.0.2', vite: '^8.3.8' };

/** What the pages need beside `@msg/client`. */
const OF_PAGE: Readonly<
  Record<PageName, { readonly ours: readonly string[]; runs: Versions; builds: Versions }>
> = {
  react: {
    ours: ['@msg/react'],
    runs: { react: '^19.3.1', 'react-dom': '^19.3.1' },
    builds: { '@types/react': '^19.3.0', '@types/react-dom': '^19.3.0', '@vitejs/plugin-react': '^6.3.0' },
  },
  vanilla: { ours: [], runs: {}, builds: {} },
};

const SCRIPTS: Versions = {
  dev: 'node --watch --env-file-if-exists=.env server/main.ts --dev',
  test: 'node --disable-warning=ExperimentalWarning --test "test/*.test.ts"',
  build: 'tsc && vite build',
  start: 'node --env-file-if-exists=.env server/main.ts',
};

const sorted = (versions: Versions): Versions =>
  Object.fromEntries(Object.entries(versions).toSorted(([name], [other]) => (name < other ? -1 : 1)));

/** `package.json` of an app. @param version of the packages of msg, which are released together */
export function appManifest(name: string, page: PageName, version: string): object {
  const { ours, runs, builds } = OF_PAGE[page];
  const packages = ['@msg/client', '@msg/server', ...ours].map(packageName => [packageName, `^${version}`]);
  return {
    name,
    version: '0.0.0',
    private: true,
    type: 'module',
    engines: { node: '>=22.18' },
    scripts: SCRIPTS,
    dependencies: sorted({ ...Object.fromEntries(packages), ...runs, sirv: '^3.0.2' }),
    devDependencies: sorted({ ...TOOLS, ...builds }),
  };
}
