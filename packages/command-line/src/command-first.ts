import type { SettingGroup } from './settings/setting.ts';

/** The rows of a program that say what its words are. */
interface Rows {
  readonly settings: SettingGroup;
  readonly root?: { readonly settings: SettingGroup } | undefined;
  readonly commands: readonly { readonly name: string; readonly settings: SettingGroup }[];
}

/** The words with those of the command first, so that every flag may come before or after them. */
export function commandFirst({ commands, root, settings }: Rows, words: readonly string[]): string[] {
  const takesValue = new Set(
    [settings, root?.settings ?? {}, ...commands.map(command => command.settings)]
      .flatMap(group => Object.values(group))
      .filter(({ type, placeholder = type.placeholder }) => placeholder !== undefined)
      .flatMap(({ flag, short }) => [flag, short]),
  );
  const path: string[] = [];
  const flags: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    const isFlag = word.startsWith('-') && word !== '-';
    if (word === '--') return [...path, ...flags, ...words.slice(at)];
    if (isFlag) flags.push(word, ...(takesValue.has(word) ? words.slice(at + 1, ++at + 1) : []));
    else if (isCommand(commands, [...path, word])) path.push(word);
    else return [...path, word, ...flags, ...words.slice(at + 1)];
  }
  return [...path, ...flags];
}

/** True for the words of a command, or the first of them. */
function isCommand(commands: Rows['commands'], path: readonly string[]): boolean {
  return commands.some(({ name }) => `${name} `.startsWith(`${path.join(' ')} `));
}
