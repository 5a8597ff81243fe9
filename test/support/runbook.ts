import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { blocksOf, isRepositoryStep, useOf } from './pages.ts';

export interface Places {
  /** Where the commands run. */
  readonly folder: string;
  /** Ports by what the page says. */
  readonly ports: Readonly<Record<string, number>>;
  /** What stands for something of the reader's, a host for example, and what is there instead. */
  readonly names?: Readonly<Record<string, string>>;
}

const PRELUDE = `set -euo pipefail
exec 3>&1 4>&2
current=/dev/null
over() {
  status=$?
  exec 1>&3 2>&4
  [ "$status" = 0 ] || cat "$current"
  kill $(jobs -p) 2> /dev/null || true
}
trap over EXIT
# Waits until every line of the second file is somewhere in the first; white space does not count.
has() {
  for _ in $(seq 600); do
    found=yes
    content=$(tr -d '[:space:]' < "$1")
    while read -r line; do
      wanted=$(printf %s "$line" | tr -d '[:space:]')
      case "$content" in *"$wanted"*) ;; *) found=no ;; esac
    done < "$2"
    [ "$found" = yes ] && return 0
    [ "$3" = once ] && break
    sleep 0.05
  done
  echo "expected:"; cat "$2"; echo "got:"; cat "$1"
  return 1
}
`;

/** One shell script that does what a page says, block by block, and checks what the page says it prints. */
export function scriptOf(page: string, { folder, ports, names = {} }: Places): string {
  const named = (text: string): string =>
    Object.entries(names).reduce((changed, [name, own]) => changed.replaceAll(name, own), text);
  const local = (text: string): string =>
    Object.entries(ports).reduce(
      (changed, [port, free]) =>
        changed.replaceAll(new RegExp(`(?<=[:(]|port: |--port )${port}\\b`, 'g'), String(free)),
      named(text),
    );
  const lines = [PRELUDE];
  let last = '';
  for (const [index, block] of blocksOf(page).entries()) {
    const text = local(block.text);
    const [word = '', name = ''] = block.words;
    const file = `block-${index}`;
    const program = block.language === 'output' ? word : name;
    if (useOf('', block) !== 'executed' || isRepositoryStep(block)) continue;
    if (block.language === 'output' || word === 'output') {
      writeFileSync(join(folder, file), text);
      lines.push(program === '' ? `has ${last} ${file} once` : `has ${program}.log ${file} wait`);
    } else if (block.language === 'sh') {
      lines.push(...commandLines(text, word, name, file));
      last = `${file}.log`;
    } else if (word.includes('.')) {
      // A later state of a file replaces it where the page says so, not before.
      writeFileSync(join(folder, file), text);
      lines.push(`mkdir -p "$(dirname ${word})" && cp ${file} ${word}`);
    }
  }
  return `${lines.join('\n')}\necho the page holds\n`;
}

function commandLines(text: string, word: string, name: string, file: string): string[] {
  // The log is there before anybody looks into it.
  if (word === 'background') {
    const program = text.trimEnd().replace(/dashdoc serve(?!.*--port)/, 'dashdoc serve --port "$DASH_PORT"');
    return [`: > ${name}.log`, `( ${program} ) >> ${name}.log 2>&1 &`];
  }
  if (word === 'server') {
    return [
      ': > server.log',
      `( ${text.trimEnd().replace('msg serve', 'msg serve --addr "127.0.0.1:$PORT"')} ) >> server.log 2>&1 &`,
      'echo listening > listening; has server.log listening wait',
      `TOKEN=$(sed -n '/bootstrap mgmt token/{n;p;}' server.log)`,
    ];
  }
  const id = `$(grep -o '"id": *"[^"]*"' ${file}.log | head -n 1 | cut -d '"' -f 4)`;
  const commands = text.replaceAll('<the token>', '$TOKEN').replaceAll('<the id>', id);
  const shown = JSON.stringify(text.split('\n', 1)[0]);
  return [
    `echo ${shown.replaceAll('$', '\\$').replaceAll('`', '\\`')}`,
    `current=${file}.log; exec > ${file}.log 2>&1`,
    commands.trimEnd(),
    'exec 1>&3 2>&4; current=/dev/null',
  ];
}
