import { createInterface } from 'node:readline/promises';
import type { Arguments } from './arguments.ts';
import { type Choices, chosen, DEFAULT_FOLDER, listed, PAGES, TEMPLATES } from './choices.ts';
import { CreateError } from './create-error.ts';
import { appName, requireEmpty } from './folder.ts';

type Ask = (question: string) => Promise<string>;

/** Asks until there is an answer that can be read; an empty one is the default. */
async function askFor<A>(
  ask: Ask,
  question: string,
  fallback: string,
  read: (answer: string) => A,
): Promise<A> {
  for (;;) {
    const answer = (await ask(`${question} (${fallback}): `)).trim();
    try {
      return read(answer === '' ? fallback : answer);
    } catch (error) {
      if (!(error instanceof CreateError)) throw error;
      console.error(`${error.message}: ${error.remedy}`);
    }
  }
}

function readFolder(folder: string): string {
  appName(folder);
  requireEmpty(folder);
  return folder;
}

async function askOne<C extends Readonly<Record<string, string>>>(
  ask: Ask,
  what: string,
  choices: C,
): Promise<keyof C> {
  console.log(`${what}:\n${listed(choices)}`);
  return askFor(ask, what, Object.keys(choices)[0] ?? '', answer => chosen(what, choices, answer));
}

/** Asks on the terminal for what the command line leaves open. What it says is judged before the first question. */
export async function askChoices({ folder, template, page }: Arguments): Promise<Choices> {
  if (folder !== undefined) readFolder(folder);
  const choice = {
    template: template === undefined ? undefined : chosen('--template', TEMPLATES, template),
    page: page === undefined ? undefined : chosen('--page', PAGES, page),
  };
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  const closed = new AbortController();
  terminal.once('close', () => closed.abort());
  const ask: Ask = question => terminal.question(question, { signal: closed.signal });
  try {
    return {
      folder: folder ?? (await askFor(ask, 'Folder', DEFAULT_FOLDER, readFolder)),
      template: choice.template ?? (await askOne(ask, 'Template', TEMPLATES)),
      page: choice.page ?? (await askOne(ask, 'Page', PAGES)),
    };
  } finally {
    terminal.close();
  }
}
