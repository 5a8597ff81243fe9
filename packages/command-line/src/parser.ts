import { Command, Option } from 'commander';
import { argumentText, type CommandSpec } from './command.ts';
import type { ProgramIo } from './io.ts';
import type { Program } from './program-row.ts';
import { describe, type SettingGroup, type SettingSources } from './settings/setting.ts';
import { usageError } from './usage-errors.ts';

/** What the parser reports while it runs a line. */
export interface ParserEvents {
  /** Help that belongs to an error. */
  onHelp(text: string): void;
  /** A command starts; the name of the root is empty. */
  onStart(name: string): void;
  /** A command ended. */
  onEnd(exitCode: number): void;
}

/** The parser of the whole command line, made of the rows of a program. */
export function buildParser<Io extends ProgramIo>(
  program: Program<Io>,
  io: Io,
  { onHelp, onStart, onEnd }: ParserEvents,
): Command {
  const parser = new Command(program.name)
    .description(program.summary)
    .version(program.version, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .showSuggestionAfterError(false)
    .configureHelp({ optionDescription: option => option.description })
    .configureOutput({ writeOut: io.out, writeErr: onHelp, outputError: () => {} })
    .addHelpText('after', program.detail);
  addSettings(parser, program.settings);

  const add = (command: Command, spec: CommandSpec<Io>): void => {
    for (const argument of spec.args ?? []) command.argument(argumentText(argument), argument.help);
    addSettings(command, spec.settings);
    command.addHelpText('after', helpAfter(program.name, spec)).action(async () => {
      onStart(spec.name);
      onEnd((await spec.run({ args: command.args, sources: sourcesOf(command, io.env), io })) ?? 0);
    });
  };
  if (program.root !== undefined) add(parser, program.root);
  const groups = new Map<string, Command>([['', parser]]);
  const groupOf = (words: readonly string[]): Command => {
    const path = words.join(' ');
    const existing = groups.get(path);
    if (existing !== undefined) return existing;
    const group = groupOf(words.slice(0, -1)).command(words.at(-1) ?? '');
    group
      .description(program.groups[path] ?? '')
      .addHelpText('after', `\n\`${program.name} ${path} <command> --help\` shows examples.`);
    groups.set(path, group);
    return group;
  };
  for (const spec of program.commands) {
    const words = spec.name.split(' ');
    const { summary, detail } = spec;
    const command = groupOf(words.slice(0, -1))
      .command(words.at(-1) ?? '')
      .summary(summary);
    add(command.description(detail === undefined ? summary : `${summary}\n\n${detail}`), spec);
  }
  for (const command of [parser, ...[...groups.values()].flatMap(group => group.commands)])
    command.exitOverride(error => {
      throw error.exitCode === 0 ? error : usageError(command, error);
    });
  return parser;
}

function addSettings(command: Command, settings: SettingGroup): void {
  for (const setting of Object.values(settings)) {
    const { flag, short, type, placeholder = type.placeholder, fallback, required } = setting;
    if (flag === undefined) continue;
    const names = short === undefined ? flag : `${short}, ${flag}`;
    const option = new Option(
      placeholder === undefined ? names : `${names} <${placeholder}>`,
      describe(setting),
    );
    if (placeholder !== undefined) {
      const fallbackText = type.format(fallback);
      if (fallbackText !== '') option.default(fallbackText);
      option.argParser((value: string, before: unknown) =>
        Array.isArray(before) ? [...before, value] : [value],
      );
    }
    command.addOption(option.makeOptionMandatory(required === true));
  }
}

/** The flags given to a command, and the environment. */
function sourcesOf(command: Command, env: SettingSources['env']): SettingSources {
  return {
    env,
    flag(name) {
      for (let at: Command | null = command; at !== null; at = at.parent) {
        const option = at.options.find(({ long }) => long === name);
        const attribute = option?.attributeName() ?? '';
        // A `--no-…` switch is negated by the parser: that it was given is all that counts.
        if (option === undefined || at.getOptionValueSource(attribute) !== 'cli') continue;
        return option.required ? (at.getOptionValue(attribute) as string[]) : ['true']; // from the parser above
      }
      return undefined;
    },
  };
}

/** Settings that the flags above leave out. */
function unflagged(settings: SettingGroup): string {
  const rows = Object.values(settings).filter(({ flag }) => flag === undefined);
  if (rows.length === 0) return '';
  const lines = rows.map(setting => `  ${setting.key}\n      ${describe(setting)}`);
  return `\nIn the configuration file, or as a variable where one is named:\n${lines.join('\n')}\n`;
}

function helpAfter<Io extends ProgramIo>(
  program: string,
  { settings, examples = [] }: CommandSpec<Io>,
): string {
  const lines = examples.map(({ line, help }) => `  ${program} ${line}\n      ${help}`);
  return `${unflagged(settings)}${lines.length === 0 ? '' : `\nExamples:\n${lines.join('\n')}`}`;
}
