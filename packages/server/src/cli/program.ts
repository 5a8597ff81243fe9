import { Command } from 'commander';
import { VERSION } from '../config/version.ts';
import type { CommandSpec } from './command.ts';
import { COMMAND_GROUPS, COMMANDS } from './commands.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';
import { shownArgument } from './usage.ts';

function helpAfter({ detail, examples }: CommandSpec): string {
  const shown = examples.map(({ line, help }) => `  msg ${line}\n      ${help}`);
  return `${detail === undefined ? '' : `\n${detail}\n`}\nExamples:\n${shown.join('\n')}`;
}

function addCommand(parent: Command, word: string, spec: CommandSpec, io: CliIo): void {
  const command = parent.command(word).description(spec.summary);
  for (const argument of spec.args ?? []) command.argument(shownArgument(argument), argument.help);
  addSettings(command, spec.settings)
    .addHelpText('after', helpAfter(spec))
    .action(() => {
      const { json = false } = command.optsWithGlobals<{ json?: boolean }>();
      return spec.run({ args: command.args, sources: sourcesOf(command, io.env), io, json });
    });
}

/** The parser of the whole command line, made of the command table. */
export function buildProgram(io: CliIo): Command {
  const program = new Command('msg')
    .description('realtime messaging service')
    .version(`version ${VERSION}`, '--version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .helpCommand(false)
    .option('--json', 'print the manifest as a descriptor envelope')
    .exitOverride()
    .configureOutput({ writeOut: io.out, writeErr: () => {} })
    .addHelpText(
      'after',
      '\nExamples:\n  msg serve --state-dir ./state\n  msg channels open public:shop.news\n' +
        '  msg <command> --help\n      what a command does, with examples',
    );
  const groups = new Map<string, Command>();
  for (const spec of COMMANDS) {
    const [word = '', within] = spec.name.split(' ');
    if (within === undefined) {
      addCommand(program, word, spec, io);
      continue;
    }
    const group = groups.get(word) ?? program.command(word).description(COMMAND_GROUPS[word] ?? '');
    groups.set(word, group);
    addCommand(group, within, spec, io);
  }
  for (const [word, group] of groups) {
    group.addHelpText('after', `\n\`msg ${word} <command> --help\` shows examples.`);
  }
  return program;
}
