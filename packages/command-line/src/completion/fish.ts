import { type CompletionPlace, functionName, quoted } from './tree.ts';

function lines(program: string, { path, words, flags }: CompletionPlace): string[] {
  const start = `complete -c ${program} -n ${quoted(`_${functionName(program)}_at "${path}"`)}`;
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
export function fishCompletion(program: string, places: readonly CompletionPlace[]): string {
  const paths = places.filter(({ path }) => path !== '').map(({ path }) => quoted(path));
  return `# Completion of ${program} in fish. Load it with: ${program} completion fish | source
function _${functionName(program)}_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join ' ' $at $word) ${paths.join(' ')}
            set -a at $word
        end
    end
    set -l now (string join ' ' $at)
    test "$now" = "$argv[1]"
end
${places.flatMap(place => lines(program, place)).join('\n')}
`;
}
