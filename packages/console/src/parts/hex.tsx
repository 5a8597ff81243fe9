import type { JSX } from 'preact';
import { useMemo } from 'preact/hooks';

/** Bytes that stand on the page at once. */
const WINDOW = 65_536;
const PER_ROW = 16;

function bytesOf(data: string, isBase64: boolean): Uint8Array {
  if (!isBase64) return new TextEncoder().encode(data);
  // A cut leaves characters that are no whole byte.
  const text = data.slice(0, data.length - (data.length % 4));
  return Uint8Array.from(atob(text), character => character.charCodeAt(0));
}

function hexOf(row: Uint8Array): string {
  const digits = [...row].map(byte => byte.toString(16).padStart(2, '0'));
  return `${digits.slice(0, 8).join(' ').padEnd(23)}  ${digits.slice(8).join(' ').padEnd(23)}`;
}

function textOf(row: Uint8Array): string {
  return [...row].map(byte => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('');
}

/** Bytes in rows of sixteen: offset, two groups of eight, text. */
export function Hex({ data, isBase64 }: { readonly data: string; readonly isBase64: boolean }): JSX.Element {
  const bytes = useMemo(() => bytesOf(data, isBase64), [data, isBase64]);
  const rows = Array.from({ length: Math.ceil(Math.min(bytes.length, WINDOW) / PER_ROW) }, (_, at) => {
    const row = bytes.subarray(at * PER_ROW, (at + 1) * PER_ROW);
    return `${(at * PER_ROW).toString(16).padStart(6, '0')}  ${hexOf(row)}  ${textOf(row)}`;
  });
  return (
    <pre class="hex">
      {rows.join('\n')}
      {bytes.length > WINDOW && (
        <span class="m">{`\n… ${bytes.length - WINDOW} further bytes: copy the payload`}</span>
      )}
    </pre>
  );
}
