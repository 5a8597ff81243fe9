import { ownVersion } from './app-files.ts';
import { type Arguments, readArguments } from './arguments.ts';
import { type Choices, chosen, DEFAULT_FOLDER, listed, PAGES, TEMPLATES } from './choices.ts';
import { createApp } from './create-app.ts';
import { CreateError } from './create-error.ts';
import { askChoices } from './questions.ts';

/** Exit code of a process that SIGINT ended, as shells count. */
const INTERRUPTED = 130;

const HELP = `usage: npm create msg-app [folder] -- [--template <name>] [--page <name>] [--yes]

Writes a realtime app: a backend with msg in it, a page, a test. On a terminal it asks
for what is not given; --yes takes the first of each.

--template
${listed(TEMPLATES)}

--page
${listed(PAGES)}
`;

/** The choices of a command line without a terminal to ask on. @throws CreateError with the list of what is missing */
function givenChoices({ folder, template, page, yes }: Arguments): Choices {
  const orFirst = (value: string | undefined, [first]: readonly string[]): string | undefined =>
    value ?? (yes ? first : undefined);
  const named = folder ?? (yes ? DEFAULT_FOLDER : undefined);
  if (named === undefined) throw new CreateError('a folder is needed', 'npm create msg-app my-app');
  return {
    folder: named,
    template: chosen('--template', TEMPLATES, orFirst(template, Object.keys(TEMPLATES))),
    page: chosen('--page', PAGES, orFirst(page, Object.keys(PAGES))),
  };
}

/** The program that called, which is the one to go on with: `pnpm` for `pnpm create msg-app`. */
const packageManager = (): string => process.env['npm_config_user_agent']?.split('/')[0] || 'npm';

async function run(words: readonly string[]): Promise<string> {
  const args = readArguments(words);
  if (args.help) return HELP;
  if (args.version) return `version ${ownVersion()}\n`;
  const canAsk = process.stdin.isTTY && process.stdout.isTTY && !args.yes;
  const choices = canAsk ? await askChoices(args) : givenChoices(args);
  const files = createApp(choices);
  const manager = packageManager();
  const steps = [`cd ${choices.folder}`, `${manager} install`, `${manager} run dev`];
  return `${files.length} files written to ${choices.folder}. Next:\n\n  ${steps.join('\n  ')}\n`;
}

/** The command line. @param words the arguments after the program's name */
export async function main(words: readonly string[]): Promise<void> {
  try {
    process.stdout.write(await run(words));
  } catch (error) {
    if (error instanceof Error && error.name === 'AbortError') process.exit(INTERRUPTED);
    if (!(error instanceof CreateError)) throw error;
    process.stderr.write(`error: MSG_INVALID_ARGUMENT: ${error.message}\n  try: ${error.remedy}\n`);
    process.exitCode = 1;
  }
}
