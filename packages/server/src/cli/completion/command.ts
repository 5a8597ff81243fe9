import { MsgError } from '@msg/core';
import { type CommandSpec, localCommand } from '../command.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CompletionPlace, completionPlaces } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const SHELLS: Readonly<Record<string, (places: readonly CompletionPlace[]) => string>> = {
  bash: bashCompletion,
  zsh: zshCompletion,
  fish: fishCompletion,
};

/** `completion <shell>`; `commands` answers the whole table, which the command is part of. */
export function completionCommand(
  commands: () => readonly CommandSpec[],
  groups: Readonly<Record<string, string>>,
): CommandSpec {
  const known = Object.keys(SHELLS);
  return localCommand({
    name: 'completion',
    args: [{ name: 'shell', help: known.join(', '), words: known }],
    summary: 'print a completion script for a shell',
    examples: [
      { line: 'completion bash', help: 'bash: add `source <(msg completion bash)` to ~/.bashrc' },
      { line: 'completion zsh', help: 'zsh: add `source <(msg completion zsh)` to ~/.zshrc, after compinit' },
      { line: 'completion fish', help: 'fish: msg completion fish > ~/.config/fish/completions/msg.fish' },
    ],
    async run({ args: [shell = ''], io }) {
      const render = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
      if (render === undefined) {
        throw new MsgError('MSG_INVALID_ARGUMENT', `shell: must be one of ${known.join(', ')}`);
      }
      io.out(render(completionPlaces(commands(), groups)));
    },
  });
}
