import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { checkOut } from '../src/against/tree.ts';
import { Host, Serve } from './host.ts';
import { type Figures, reportOf, tokensOf, totalOf } from './report.ts';
import { Session, type Taken, type Task } from './session.ts';

const MOST_CALLS = 30;
const MOST_TOKENS = 20_000;
/** The last commit before the tools were made for few calls. */
const BEFORE = '8f571e4';
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = 'packages/dash/bin/dashdoc.js';
const TASKS = fileURLToPath(new URL('tasks.json', import.meta.url));
const TASKS_BEFORE = fileURLToPath(new URL('tasks-before.json', import.meta.url));
const PAGE = join(ROOT, 'docs/dash/mcp.md');
const START = '<!-- figures of bench agent -->';
const END = '<!-- end of figures -->';

/** What a model does for each task, and how the host starts the tools. */
interface Script {
  readonly flags: readonly string[];
  readonly tasks: readonly Task[];
}

/**
 * Runs the tasks as one conversation with `dashdoc mcp` on a new git store, counts calls, errors and tokens, checks that
 * each word of a call stands in the task, in an earlier answer, or is a new id, and looks at the end state of each task.
 * Options: `--before` also a script for the code of before, in a checkout; `--program <file>` another build, `--tasks
 * <file>` another script, `--no-bounds`; `--write` both into the page of the tools.
 */
export async function run(words: string[]): Promise<void> {
  const { values } = parseArgs({
    args: words,
    options: {
      program: { type: 'string', default: join(ROOT, PROGRAM) },
      tasks: { type: 'string', default: TASKS },
      before: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      'no-bounds': { type: 'boolean', default: false },
    },
  });
  const now = await converse(values.program, values.tasks);
  const isBoth = values.before || values.write;
  const before = isBoth
    ? await converse(join(checkOut(ROOT, BEFORE).root, PROGRAM), TASKS_BEFORE)
    : undefined;
  const text = reportOf(now, before);
  console.log(text);
  if (values.write) await writeFigures(text);
  if (!values['no-bounds']) requireBounds(now.taken);
}

async function converse(program: string, tasks: string): Promise<Figures> {
  const script = JSON.parse(await readFile(tasks, 'utf8')) as Script;
  const root = await mkdtemp(join(tmpdir(), 'dash-bench-agent-'));
  execFileSync('git', ['init', '--quiet', root]);
  const serve = await Serve.start(program, root);
  const flags = script.flags.map(flag => flag.replace('{{serve}}', serve.url));
  const host = new Host(program, ['--store', 'git', '--root', root, ...flags]);
  try {
    await host.initialize();
    const session = new Session(host, serve);
    const listed = await session.start();
    const taken: Taken[] = [{ name: 'tools/list', calls: 0, errors: 0, characters: listed }];
    for (const task of script.tasks) taken.push(await session.run(task));
    return { taken, tools: session.tools };
  } finally {
    await host.stop();
    await serve.stop();
    await rm(root, { recursive: true });
  }
}

function requireBounds(taken: readonly Taken[]): void {
  const { calls, characters } = totalOf(taken);
  const tokens = tokensOf(characters);
  if (calls <= MOST_CALLS && tokens <= MOST_TOKENS) return;
  console.error(`at most ${MOST_CALLS} calls and ${MOST_TOKENS} tokens; got ${calls} and ${tokens}`);
  process.exitCode = 1;
}

async function writeFigures(text: string): Promise<void> {
  const page = await readFile(PAGE, 'utf8');
  const [from, to] = [page.indexOf(START), page.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${PAGE} must have the marks of the figures`);
  await writeFile(PAGE, `${page.slice(0, from + START.length)}\n\n${text}\n\n${page.slice(to)}`);
}
