import type { Bytes } from './reply.ts';

/** How far an unknown command and its arguments are shown. */
const SHOWN = 128;

/** The error line for a command that is not known. */
export function unknownText([name = '', ...args]: readonly Bytes[]): Bytes {
  let shown = '';
  for (const argument of args) {
    if (shown.length >= SHOWN) break;
    shown += `'${printable(argument, SHOWN - shown.length)}' `;
  }
  return `ERR unknown command '${printable(name)}', with args beginning with: ${shown}`;
}

/** As C prints it: up to a zero byte. */
export function printable(text: Bytes, most = SHOWN): Bytes {
  return (text.split('\0')[0] ?? '').slice(0, most);
}

/** An error is one line, whatever it quotes. */
export function oneLine(text: Bytes): Bytes {
  let end = text.length;
  while (end > 0 && isBreak(text[end - 1])) end--;
  return text.slice(0, end).replace(/[\r\n]/g, ' ');
}

function isBreak(sign: string | undefined): boolean {
  return sign === '\r' || sign === '\n';
}
