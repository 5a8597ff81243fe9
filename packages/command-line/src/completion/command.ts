import { type CommandSpec, command } from '../command.ts';
import type { ProgramIo } from '../io.ts';
import type { Program } from '../program-row.ts';
import { display, UsageError } from '../usage-error.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CompletionPlace, completionPlaces } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS = new Map<string, (program: string, places: readonly CompletionPlace[]) => string>([
  ['bash', bashCompletion],
  ['zsh', zshCompletion],
  ['fish', fishCompletion],
]);

/** `completion <shell>` of a program; `rows` answers all its commands, this one among them. */
export function completionCommand<Io extends ProgramIo>(
  name: string,
  rows: () => Program<Io>,
): CommandSpec<Io> {
  const words = [...SHELLS.keys()];
  return command<Io, Record<never, never>>({
    name: 'completion',
    args: [{ name: 'shell', help: words.join(', '), words }],
    summary: 'print a completion script for a shell',
    settings: {},
    examples: [
      { line: 'completion bash', help: `bash: add \`source <(${name} completion bash)\` to ~/.bashrc` },
      {
        line: 'completion zsh',
        help: `zsh: add \`source <(${name} completion zsh)\` to ~/.zshrc, after compinit`,
      },
      {
        line: 'completion fish',
        help: `fish: ${name} completion fish > ~/.config/fish/completions/${name}.fish`,
      },
    ],
    async run({ args: [shell = ''], io }) {
      const render = SHELLS.get(shell);
      if (render === undefined)
        throw new UsageError(`<shell> must be one of ${words.join(', ')}; got ${display(shell)}`);
      io.out(render(name, completionPlaces(rows())));
    },
  });
}
