import type { ProgramIo } from '../io.ts';
import type { Program } from '../program-row.ts';
import type { SettingGroup } from '../settings/setting.ts';

/** A word that may come next, with what it means. */
interface CompletionWord {
  readonly word: string;
  readonly help: string;
}

/** A flag that may come next. */
interface CompletionFlag {
  /** `--config`, and `-c` where there is one. */
  readonly names: readonly string[];
  readonly help: string;
  readonly takesValue: boolean;
}

/** A place in a command line: the words so far, flags and their values left out. */
export interface CompletionPlace {
  /** `''`, `channels`, `channels open`. */
  readonly path: string;
  readonly words: readonly CompletionWord[];
  readonly flags: readonly CompletionFlag[];
}

const HELP: CompletionFlag = { names: ['-h', '--help'], help: 'print help', takesValue: false };
const VERSION: CompletionFlag = { names: ['--version'], help: 'print the version', takesValue: false };

function flagsOf(settings: SettingGroup): CompletionFlag[] {
  return Object.values(settings).flatMap(({ flag, short, help, type }) => {
    if (flag === undefined) return [];
    const names = short === undefined ? [flag] : [short, flag];
    return [{ names, help, takesValue: type.placeholder !== undefined }];
  });
}

/** Every place of the command line, from the rows of a program. */
export function completionPlaces<Io extends ProgramIo>({
  commands,
  groups,
  root,
  settings,
}: Program<Io>): readonly CompletionPlace[] {
  // The words that may follow each beginning of a command's words, with their meaning.
  const within = new Map<string, Map<string, string>>([['', new Map()]]);
  for (const { name, summary } of commands) {
    const path: string[] = [];
    for (const word of name.split(' ')) {
      const above = path.join(' ');
      path.push(word);
      const here = path.join(' ');
      const words = within.get(above) ?? new Map<string, string>();
      within.set(above, words.set(word, here === name ? summary : (groups[here] ?? '')));
    }
  }
  const top = [HELP, VERSION, ...flagsOf({ ...settings, ...root?.settings })];
  return [
    ...[...within].map(([path, words]) => ({
      path,
      words: [...words].map(([word, help]) => ({ word, help })),
      flags: path === '' ? top : [HELP],
    })),
    ...commands.map(command => ({
      path: command.name,
      words: (command.args ?? []).flatMap(({ words = [], help }) => words.map(word => ({ word, help }))),
      flags: [...flagsOf(command.settings), HELP],
    })),
  ];
}

/** The name of a program's function in a shell. */
export function functionName(program: string): string {
  return `_${program.replaceAll('-', '_')}`;
}

/** A text between single quotes of a shell. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
