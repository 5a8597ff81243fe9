import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** One instruction, continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly text: string;
}

/** One `FROM` and what follows. */
export interface Stage {
  readonly base: string;
  readonly alias: string;
  readonly instructions: readonly Instruction[];
}

/** A Dockerfile as far as ours goes. @throws Error for an instruction that is not known. */
export interface DockerfileText {
  /** `ARG`s before the first stage, with their defaults. */
  readonly args: Readonly<Record<string, string>>;
  readonly stages: readonly Stage[];
}

const KNOWN = new Set([
  ...['ARG', 'FROM', 'WORKDIR', 'COPY', 'RUN', 'ENV', 'LABEL', 'USER', 'VOLUME', 'EXPOSE'],
  ...['HEALTHCHECK', 'ENTRYPOINT', 'CMD'],
]);

export function parseDockerfile(source: string): DockerfileText {
  const lines = source
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  const args: Record<string, string> = {};
  const stages: { base: string; alias: string; instructions: Instruction[] }[] = [];
  for (const line of lines.filter(text => text.trim() !== '')) {
    const [, name = '', text = ''] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (!KNOWN.has(name)) throw new Error(`not an instruction: ${line}`);
    const stage = stages.at(-1);
    if (name === 'FROM') {
      const [base = '', , alias = ''] = text.split(/\s+/);
      stages.push({ base, alias, instructions: [] });
    } else if (stage === undefined) {
      const [key = '', value = ''] = text.split('=');
      args[key] = value;
    } else stage.instructions.push({ name, text });
  }
  return { args, stages };
}

/** The value of an instruction in its JSON form. */
export function jsonForm(stage: Stage, name: string): string[] {
  const text = stage.instructions.findLast(instruction => instruction.name === name)?.text ?? '[]';
  return JSON.parse(text.slice(text.indexOf('['))) as string[];
}

export function lastOf(stage: Stage, name: string): string {
  return stage.instructions.findLast(instruction => instruction.name === name)?.text ?? '';
}

export interface BuildOptions {
  /** Every stage gets a folder of its own in here, which stands for its root directory. */
  readonly folder: string;
  /** Files of the build context, relative; what `.dockerignore` names is left out. */
  readonly context: { readonly root: string; readonly files: readonly string[] };
  readonly args: Readonly<Record<string, string>>;
  /** Runs a command line in a directory; rejects when it fails. */
  readonly run: (command: string, cwd: string, env: Readonly<Record<string, string>>) => Promise<void>;
}

/** Paths of an image that commands may name; elsewhere they are below the stage's folder. */
const ABSOLUTE = /(?<=^|[\s=:])\/(?=(?:app|build|usr\/local\/bin|var\/lib)\b)/g;

/** Executes the stages as a script, without a container engine. @returns the root directory of the last one. */
export async function executeStages({ stages }: DockerfileText, options: BuildOptions): Promise<string> {
  const roots = new Map<string, string>();
  let root = '';
  for (const [index, stage] of stages.entries()) {
    root = join(options.folder, stage.alias || `stage-${index}`);
    roots.set(stage.alias, root);
    mkdirSync(join(root, 'usr/local/bin'), { recursive: true });
    await executeStage(stage, root, roots, options);
  }
  return root;
}

async function executeStage(
  { instructions }: Stage,
  root: string,
  roots: ReadonlyMap<string, string>,
  { context, args, run }: BuildOptions,
): Promise<void> {
  let cwd = root;
  const env: Record<string, string> = {};
  for (const { name, text } of instructions) {
    if (name === 'WORKDIR') {
      cwd = join(root, text);
      mkdirSync(cwd, { recursive: true });
    } else if (name === 'ARG') {
      const [key = '', fallback = ''] = text.split('=');
      env[key] = args[key] ?? fallback;
    } else if (name === 'ENV') {
      const [key = '', value = ''] = text.split('=');
      env[key] = value;
    } else if (name === 'RUN') await run(text.replaceAll(ABSOLUTE, `${root}/`), cwd, env);
    else if (name === 'COPY') copy(text, cwd, roots, context);
  }
}

function copy(
  text: string,
  cwd: string,
  roots: ReadonlyMap<string, string>,
  context: BuildOptions['context'],
): void {
  const [from, ...rest] = text.startsWith('--from=') ? text.split(/\s+/) : ['', ...text.split(/\s+/)];
  const target = join(cwd, rest.at(-1) ?? '');
  const stage = roots.get((from ?? '').slice('--from='.length));
  if (stage === undefined) {
    for (const file of context.files) cpSync(join(context.root, file), join(target, file));
    return;
  }
  for (const source of rest.slice(0, -1)) {
    const path = join(stage, source);
    if (!existsSync(path)) throw new Error(`COPY: ${source} does not exist`);
    const intoFolder = (rest.at(-1) ?? '').endsWith('/');
    // A folder's content is copied, a file under its own name; links stay links.
    cpSync(path, intoFolder ? join(target, basename(path)) : target, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
}

/** Whether `.dockerignore` leaves a file out. Our patterns: names, `**` before a name, `*` within one. */
export function dockerIgnores(source: string): (file: string) => boolean {
  const patterns = source.split('\n').filter(line => line !== '' && !line.startsWith('#'));
  const expressions = patterns.map(pattern => {
    const body = pattern
      .replace(/^\*\*\//, '(?:.*/)?')
      .replaceAll('.', '\\.')
      .replaceAll('(?:\\.*/)?', '(?:.*/)?')
      .replaceAll(/(?<!\.)\*/g, '[^/]*');
    return new RegExp(`^${body}(?:/|$)`);
  });
  return file => expressions.some(expression => expression.test(file));
}

export function readText(root: string, path: string): string {
  return readFileSync(join(root, path), 'utf8');
}
