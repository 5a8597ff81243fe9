/** One HTTP/1.1 response as it stood on the wire. */
export interface RawResponse {
  readonly status: number;
  /** Field lines by lower-case name; repeated ones joined by `, `. */
  readonly headers: ReadonlyMap<string, string>;
  /** Content without transfer coding. */
  readonly body: Buffer;
}

const HEAD_END = '\r\n\r\n';
const STATUS_LINE = /^HTTP\/1\.[01] (\d{3})/;

interface Content {
  readonly body: Buffer;
  /** Where the content ends in the bytes it was read from. */
  readonly end: number;
}

function chunkedContent(bytes: Buffer, start: number): Content | undefined {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!Number.isInteger(size)) throw new Error('the response has a chunk without a size');
    const end = lineEnd + 2 + size;
    if (bytes.length < end + 2) return undefined;
    if (size === 0) return { body: Buffer.concat(chunks), end: end + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

function contentOf(
  bytes: Buffer,
  start: number,
  status: number,
  headers: ReadonlyMap<string, string>,
  isOver: boolean,
): Content | undefined {
  if (status < 200 || status === 204 || status === 304) return { body: Buffer.alloc(0), end: start };
  if (headers.get('transfer-encoding') === 'chunked') return chunkedContent(bytes, start);
  const announced = headers.get('content-length');
  if (announced === undefined) return isOver ? { body: bytes.subarray(start), end: bytes.length } : undefined;
  const end = start + Number(announced);
  return bytes.length < end ? undefined : { body: bytes.subarray(start, end), end };
}

/**
 * Reads the first response of `bytes`; informational ones are skipped, 101 is a response without content. Answers
 * it with the number of bytes it takes, or `undefined` while it is not whole. `isOver`: no more bytes will arrive.
 */
export function readResponse(
  bytes: Buffer,
  isOver: boolean,
): { readonly response: RawResponse; readonly length: number } | undefined {
  for (let at = 0; ; ) {
    const headEnd = bytes.indexOf(HEAD_END, at);
    if (headEnd < 0) return undefined;
    const [statusLine = '', ...lines] = bytes.toString('latin1', at, headEnd).split('\r\n');
    const status = Number(STATUS_LINE.exec(statusLine)?.[1] ?? Number.NaN);
    if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine.slice(0, 200)}`);
    at = headEnd + HEAD_END.length;
    if (status < 200 && status !== 101) continue;
    const headers = new Map<string, string>();
    for (const line of lines) {
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).toLowerCase();
      const value = line.slice(colon + 1).trim();
      const before = headers.get(name);
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    }
    const content = contentOf(bytes, at, status, headers, isOver);
    if (content === undefined) return undefined;
    return { response: { status, headers, body: content.body }, length: content.end };
  }
}
