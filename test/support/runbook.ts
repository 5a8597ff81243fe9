import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a page: the words after the fence, and the text, without the indentation of a list. */
export interface Block {
  readonly language: string;
  /** `server`, `background`, the name of a file, or the name of a background program. */
  readonly words: readonly string[];
  readonly text: string;
}

/** The fenced blocks of a page, in order. */
export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^( *)```(\w+)([^\n]*)\n([\s\S]*?)^\1```$/gm)].map(
    ([, indent = '', language = '', info = '', text = '']) => ({
      language,
      words: info
        .trim()
        .split(/\s+/)
        .filter(word => word !== ''),
      text: text.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
    }),
  );
}

/** Blocks that need what is not there in tests; their page says so in the block's first line. */
export const ELSEWHERE = new Set(['container-engine', 'kubernetes-cluster', 'elsewhere']);

export interface Places {
  /** Where the commands run. */
  readonly folder: string;
  /** Ports by what the page says. */
  readonly ports: Readonly<Record<string, number>>;
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
export function scriptOf(page: string, { folder, ports }: Places): string {
  const local = (text: string): string =>
    Object.entries(ports).reduce(
      (changed, [port, free]) => changed.replaceAll(new RegExp(`(?<=[:(])${port}\\b`, 'g'), String(free)),
      text,
    );
  const lines = [PRELUDE];
  let last = '';
  for (const [index, block] of blocksOf(page).entries()) {
    const text = local(block.text);
    const [word = '', name = ''] = block.words;
    const file = `block-${index}`;
    if (block.language === 'output') {
      writeFileSync(join(folder, file), text);
      lines.push(word === '' ? `has ${last} ${file} once` : `has ${word}.log ${file} wait`);
    } else if (block.language === 'sh' && !ELSEWHERE.has(word)) {
      lines.push(...commandLines(text, word, name, file));
      last = `${file}.log`;
    } else if (word.includes('.')) writeFileSync(join(folder, word), text);
  }
  return `${lines.join('\n')}\necho the page holds\n`;
}

function commandLines(text: string, word: string, name: string, file: string): string[] {
  // The log is there before anybody looks into it.
  if (word === 'background') return [`: > ${name}.log`, `( ${text.trimEnd()} ) >> ${name}.log 2>&1 &`];
  if (word === 'server') {
    return [
      ': > server.log',
      `( ${text.trimEnd().replace('msg serve', 'msg serve --addr "127.0.0.1:$PORT"')} ) >> server.log 2>&1 &`,
      'echo listening > listening; has server.log listening wait',
      `TOKEN=$(sed -n '/bootstrap mgmt token/{n;p;}' server.log)`,
    ];
  }
  const commands = text.replaceAll('<the token>', '$TOKEN');
  const shown = JSON.stringify(text.split('\n', 1)[0]);
  return [
    `echo ${shown.replaceAll('$', '\\$').replaceAll('`', '\\`')}`,
    `current=${file}.log; exec > ${file}.log 2>&1`,
    commands.trimEnd(),
    'exec 1>&3 2>&4; current=/dev/null',
  ];
}
