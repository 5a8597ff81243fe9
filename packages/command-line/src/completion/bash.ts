import { type CompletionPlace, functionName } from './tree.ts';

function offers({ path, words, flags }: CompletionPlace): string {
  const all = [...words.map(({ word }) => word), ...flags.flatMap(({ names }) => names)];
  return `    '${path}') offers='${all.join(' ')}' ;;`;
}

function valued({ path, flags }: CompletionPlace): string[] {
  return flags.filter(flag => flag.takesValue).flatMap(({ names }) => names.map(name => `'${path}|${name}'`));
}

/** The completion script of bash. Where a flag waits for its value, files are offered. */
export function bashCompletion(program: string, places: readonly CompletionPlace[]): string {
  const name = functionName(program);
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `# Completion of ${program} in bash. Load it with: source <(${program} completion bash)
${name}() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  local at='' offers='' index word
  for ((index = 1; index < COMP_CWORD; index++)); do
    word="\${COMP_WORDS[index]}"
    case "\${at:+$at }$word" in
      ${paths.join('|')}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at|$previous" in
    ${places.flatMap(valued).join('|')}) COMPREPLY=(); return ;;
  esac
  case "$at" in
${places.map(offers).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offers" -- "$current"))
}
complete -o default -F ${name} ${program}
`;
}
