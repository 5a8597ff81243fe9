import { Command } from 'commander';
import { describe } from '../config/setting.ts';
import { VERSION } from '../config/version.ts';
import type { CommandSpec } from './command.ts';
import { COMMAND_GROUPS, COMMANDS } from './commands.ts';
import { addSettings, sourcesOf } from './flags.ts';
import type { CliIo } from './io.ts';
import { shownArgument } from './usage.ts';

/** Settings that the flags above leave out. */
function unflagged({ settings }: CommandSpec): string {
  const rows = Object.values(settings).filter(({ flag }) => flag === undefined);
  if (rows.length === 0) return '';
  const shown = rows.map(setting => `  ${setting.key}\n      ${describe(setting)}`);
  return `\nIn the configuration file, or as a variable where one is named:\n${shown.join('\n')}\n`;
}

function helpAfter(spec: CommandSpec): string {
  const examples = spec.examples.map(({ line, help }) => `  msg ${line}\n      ${help}`);
  return `${unflagged(spec)}\nExamples:\n${examples.join('\n')}`;
}

const PROGRAM_HELP = `
Results are JSON envelopes on standard output, code 0. Failures are one line
\`error: <code>: <text>\` on standard error, code 1.

Environment of the commands that ask a server:
  MSG_SERVER  base address of the service
  MSG_TOKEN   management bearer; without one, what \`msg login\` stored

Examples:
  msg serve --state-dir ./state
  msg channels open public:shop.news
  msg <command> --help
      what a command does, with examples`;

function addCommand(parent: Command, word: string, spec: CommandSpec, io: CliIo): void {
  const { summary, detail } = spec;
  const command = parent
    .command(word)
    .summary(summary)
    .description(detail === undefined ? summary : `${summary}\n\n${detail}`);
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
    .addHelpText('after', PROGRAM_HELP);
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
