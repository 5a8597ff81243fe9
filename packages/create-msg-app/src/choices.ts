import { CreateError } from './create-error.ts';

/** What can be chosen, with the sentence that describes it. The first one is the default. */
export const TEMPLATES = {
  chat: 'a room where everybody sees who is there, and who said what',
  orders: 'a shop changes an order, and the customer’s page follows, through a lost connection too',
  cursors: 'everybody sees where the others point',
} as const;

/** What the page of the app is made with. */
export const PAGES = {
  react: 'React and the hooks of @msg/react',
  vanilla: 'TypeScript alone, with @msg/client',
} as const;

/** What the app does. */
export type TemplateName = keyof typeof TEMPLATES;
/** What its page is made with. */
export type PageName = keyof typeof PAGES;

/** Everything that decides what is written. */
export interface Choices {
  /** Path of the folder; its last part is the name of the app. */
  readonly folder: string;
  readonly template: TemplateName;
  readonly page: PageName;
}

/** The folder of those who name none. */
export const DEFAULT_FOLDER = 'msg-app';

/** A table of choices as lines: name and sentence. */
export function listed(choices: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(choices).map(name => name.length));
  return Object.entries(choices)
    .map(([name, sentence]) => `  ${name.padEnd(width)}  ${sentence}`)
    .join('\n');
}

/** One of a table of choices. @throws CreateError that lists them */
export function chosen<C extends Readonly<Record<string, string>>>(
  flag: string,
  choices: C,
  value: string | undefined,
): keyof C {
  if (value !== undefined && Object.hasOwn(choices, value)) return value;
  const problem = value === undefined ? 'is needed' : `does not know ${JSON.stringify(value)}`;
  throw new CreateError(`${flag} ${problem}`, `choose one of these:\n${listed(choices)}`);
}
