import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** A copy of this checkout, as a repository of its own with one commit. */
export class CheckoutCopy {
  readonly root: string;

  /** @param isBuilt with what is built here, so that a build of the copy finds most of it done */
  constructor(name: string, { isBuilt = false } = {}) {
    this.root = mkdtempSync(join(tmpdir(), `${name}-`));
    const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard']);
    execFileSync('sh', ['-c', 'tar --null --ignore-failed-read -cf - -T - | tar -xf - -C "$0"', this.root], {
      input: files,
    });
    if (isBuilt) this.#copyBuilt();
    this.#linkModules();
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('config', 'user.email', 'a@example.com');
    this.git('config', 'user.name', 'A');
    writeFileSync(join(this.root, '.git/info/exclude'), 'node_modules\n');
    this.git('add', '--all');
    this.git('commit', '--quiet', '--message', 'all');
  }

  #copyBuilt(): void {
    for (const name of readdirSync('packages')) {
      const built = join('packages', name, 'dist');
      const options = { recursive: true, preserveTimestamps: true };
      if (existsSync(built)) cpSync(built, join(this.root, built), options);
    }
  }

  /** Links the dependencies of this repository, but the packages of the copy: the compiler must not meet both. */
  #linkModules(): void {
    const modules = join(this.root, 'node_modules');
    mkdirSync(join(modules, '@msg'), { recursive: true });
    for (const name of readdirSync('node_modules'))
      if (name !== '@msg') symlinkSync(resolve('node_modules', name), join(modules, name));
    for (const name of readdirSync(join(this.root, 'packages')))
      symlinkSync(join(this.root, 'packages', name), join(modules, '@msg', name));
  }

  git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.root, encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
