import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Block, ROOT } from './pages.ts';

/** Of the test runner's JSON report, what is read. */
interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** A copy of this repository's packages, in which a test does what a page says. */
export class RepositoryCopy {
  readonly root: string;

  /**
   * @param packages folders below `packages`; whatever else is imported comes from this repository
   * @param folders at the root, copied too
   */
  constructor(packages: readonly string[], folders: readonly string[] = []) {
    // Inside the repository, so that the copy finds the dependencies of others.
    mkdirSync(join(ROOT, '.tmp'), { recursive: true });
    this.root = mkdtempSync(join(ROOT, '.tmp/copy-'));
    mkdirSync(join(this.root, 'node_modules/@msg'), { recursive: true });
    cpSync(join(ROOT, 'tsconfig.base.json'), join(this.root, 'tsconfig.base.json'));
    for (const folder of folders) cpSync(join(ROOT, folder), join(this.root, folder), { recursive: true });
    for (const name of packages) {
      cpSync(join(ROOT, 'packages', name), join(this.root, 'packages', name), {
        recursive: true,
        filter: path => !/\/(?:dist|node_modules)$/.test(path),
      });
      symlinkSync(`../../packages/${name}`, join(this.root, 'node_modules/@msg', name));
    }
  }

  /** The `msg` program of the copy. */
  get msg(): string {
    return join(this.root, 'packages/server/bin/msg.js');
  }

  /**
   * Does one step of a page: a block whose first word is a path is that file, or, as `diff`, a change of it. A change has
   * no line numbers: the lines that it shows as they were must stand in the file exactly once.
   */
  follow({ language, words: [path = ''], text }: Block): void {
    const file = join(this.root, path);
    mkdirSync(dirname(file), { recursive: true });
    if (language !== 'diff') {
      writeFileSync(file, text);
      return;
    }
    const without = (sign: string): string =>
      text.replaceAll(new RegExp(`^\\${sign}.*\n`, 'gm'), '').replaceAll(/^[ +-]/gm, '');
    const parts = readFileSync(file, 'utf8').split(without('+'));
    if (parts.length !== 2) throw new Error(`${path} holds ${parts.length - 1} times:\n${without('+')}`);
    writeFileSync(file, parts.join(without('-')));
  }

  /** What the compiler says about a package of the copy; empty when all types fit. */
  typeErrors(name: string): string {
    const compilerOptions = {
      composite: false,
      noEmit: true,
      rootDir: '../..',
      // A second look after a change of a few files is short.
      incremental: true,
      tsBuildInfoFile: './copy.tsbuildinfo',
    };
    const config = { extends: './tsconfig.json', compilerOptions, references: [] };
    const folder = join(this.root, 'packages', name);
    writeFileSync(join(folder, 'tsconfig.copy.json'), JSON.stringify(config));
    try {
      execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.copy.json', '--pretty', 'false'], {
        cwd: folder,
        encoding: 'utf8',
        stdio: 'pipe',
      });
      return '';
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  /** Runs a program of the copy. Throws, with what it wrote on stderr, when it fails. */
  run(program: string, args: readonly string[]): string {
    const conditions = ['--conditions=msg-source', '--disable-warning=ExperimentalWarning'];
    return execFileSync(process.execPath, [...conditions, program, ...args], {
      cwd: this.root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    });
  }

  /** Runs test files of the copy: the full names of their cases, in order. */
  runTests(files: readonly string[]): { readonly passed: string[]; readonly failed: string[] } {
    const conditions = "['msg-source', 'node', 'import', 'default']";
    const resolve = `resolve: { conditions: ${conditions} }`;
    writeFileSync(
      join(this.root, 'vitest.config.mjs'),
      `export default { ${resolve}, ssr: { ${resolve} } };\n`,
    );
    const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs');
    const report = join(this.root, 'report.json');
    spawnSync(process.execPath, [vitest, 'run', ...files, '--reporter=json', `--outputFile=${report}`], {
      cwd: this.root,
      stdio: 'ignore',
    });
    const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as Report;
    const cases = testResults.flatMap(({ assertionResults }) => assertionResults);
    const named = (wanted: string): string[] =>
      cases.flatMap(({ status, fullName }) => (status === wanted ? [fullName] : [])).toSorted();
    return { passed: named('passed'), failed: named('failed') };
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
