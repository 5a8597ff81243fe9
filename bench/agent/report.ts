import type { Session, Taken } from './session.ts';

const CHARACTERS_PER_TOKEN = 4;

/** What one conversation took, by task and by tool. */
export interface Figures {
  readonly taken: readonly Taken[];
  readonly tools: Session['tools'];
}

type Cell = string | number;

/** Tokens by the stated count: characters divided by four. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / CHARACTERS_PER_TOKEN);
}

export function totalOf(taken: readonly Taken[]): Taken {
  const sum = (member: 'calls' | 'errors' | 'characters') =>
    taken.reduce((total, task) => total + task[member], 0);
  return { name: 'together', calls: sum('calls'), errors: sum('errors'), characters: sum('characters') };
}

/** Both tables; with the figures of the code before, those stand behind those of now. */
export function reportOf(now: Figures, before?: Figures): string {
  const conversations = before === undefined ? [now] : [now, before];
  const heads = (names: readonly string[]): string[] =>
    conversations.flatMap((_, index) => names.map(name => (index === 0 ? name : `${name} before`)));
  const tasks = conversations.map(
    ({ taken }) => new Map([...taken, totalOf(taken)].map(task => [task.name, task])),
  );
  const taskCells = (name: string): Cell[] =>
    tasks.flatMap(rows => {
      const { calls = 0, errors = 0, characters = 0 } = rows.get(name) ?? {};
      return [calls, errors, tokensOf(characters)];
    });
  const toolCells = (name: string): Cell[] =>
    conversations.flatMap(({ tools }) => {
      const { calls = 0, characters = 0 } = tools.get(name) ?? {};
      return [calls, tokensOf(characters)];
    });
  const tools = new Set(conversations.flatMap(conversation => [...conversation.tools.keys()]));
  return [
    ...table(
      ['Task', ...heads(['Calls', 'Errors', 'Tokens'])],
      [...(tasks[0]?.keys() ?? [])].map(name => [name, ...taskCells(name)]),
    ),
    '',
    ...table(
      ['Tool', ...heads(['Calls', 'Tokens'])],
      [...tools].map(name => [`\`${name}\``, ...toolCells(name)]),
    ),
  ].join('\n');
}

function table(head: readonly Cell[], rows: readonly (readonly Cell[])[]): string[] {
  const line = (cells: readonly Cell[]): string => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)];
}
