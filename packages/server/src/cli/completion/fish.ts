import { type CompletionPlace, quoted } from './tree.ts';

function lines({ path, words, flags }: CompletionPlace): string[] {
  const start = `complete -c msg -n ${quoted(`__msg_at "${path}"`)}`;
  const onlyWords = words.length > 0 ? ' -f' : '';
  return [
    ...words.map(({ word, help }) => `${start}${onlyWords} -a ${quoted(word)} -d ${quoted(help)}`),
    ...flags.map(({ names, help, takesValue }) => {
      const spelled = names.map(name =>
        name.startsWith('--') ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`,
      );
      return `${start} ${spelled.join(' ')}${takesValue ? ' -r' : ''} -d ${quoted(help)}`;
    }),
  ];
}

/** The completion script of fish. */
export function fishCompletion(places: readonly CompletionPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# Completion of msg in fish. Load it with: msg completion fish | source
function __msg_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $at $word) ${paths.join(' ')}
            set -a at $word
        end
    end
    set -l now (string join ' ' $at)
    test "$now" = "$argv[1]"
end
${places.flatMap(lines).join('\n')}
`;
}
