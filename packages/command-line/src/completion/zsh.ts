import { type CompletionPlace, functionName, quoted } from './tree.ts';

function described(word: string, help: string): string {
  return quoted(`${word.replaceAll(':', '\\:')}:${help}`);
}

function branch({ path, words, flags }: CompletionPlace): string {
  const flagWords = flags.flatMap(({ names, help }) => names.map(name => described(name, help)));
  return `    '${path}')
      offered=(${words.map(({ word, help }) => described(word, help)).join(' ')})
      flags=(${flagWords.join(' ')}) ;;`;
}

function valued({ path, flags }: CompletionPlace): string[] {
  return flags.filter(flag => flag.takesValue).flatMap(({ names }) => names.map(name => `'${path}|${name}'`));
}

/** The completion script of zsh. Where a flag waits for its value, files are offered. */
export function zshCompletion(program: string, places: readonly CompletionPlace[]): string {
  const name = functionName(program);
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `#compdef ${program}
# Completion of ${program} in zsh. Load it with: source <(${program} completion zsh)
${name}() {
  local at='' word
  local -a offered flags
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|\${words[CURRENT-1]}" in
    ${places.flatMap(valued).join('|')}) _files; return ;;
  esac
  case "$at" in
${places.map(branch).join('\n')}
  esac
  _describe -t commands 'command' offered
  _describe -o -t options 'option' flags
  (( \${#offered} )) || _files
}
compdef ${name} ${program}
`;
}
