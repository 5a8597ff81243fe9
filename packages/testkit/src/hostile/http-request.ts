export interface RawRequest {
  /** Default GET. */
  readonly method?: string;
  /** Request target, written as it is. Default `/`. */
  readonly target?: string;
  /** Field lines in order; a name may stand there more than once. `Host` is added unless one is given. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Sent with its Content-Length, unless the headers say otherwise. */
  readonly body?: Uint8Array | string;
}

/** Bytes of one HTTP/1.1 request. Nothing is checked: a test may write what no client would. */
export function rawRequest(request: RawRequest): Buffer {
  const { method = 'GET', target = '/', headers = [], body = '' } = request;
  const content = Buffer.from(body);
  const names = headers.map(([name]) => name.toLowerCase());
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...(names.includes('host') ? [] : ['Host: 127.0.0.1']),
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content.length === 0 || names.includes('content-length') || names.includes('transfer-encoding')
      ? []
      : [`Content-Length: ${content.length}`]),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), content]);
}

/** Several requests in one piece: all are sent before the first answer. */
export function pipelined(requests: readonly RawRequest[]): Buffer {
  return Buffer.concat(requests.map(rawRequest));
}

/** The head of a request that announces `bytes` of content and sends none of them. */
export function unfinishedRequest(request: Omit<RawRequest, 'body'>, bytes: number): Buffer {
  const headers = [...(request.headers ?? []), ['Content-Length', String(bytes)] as const];
  return rawRequest({ ...request, headers });
}

/** One chunk of the chunked transfer coding; an empty one ends the content. */
export function bodyChunk(bytes: Uint8Array | string): Buffer {
  const content = Buffer.from(bytes);
  return Buffer.concat([Buffer.from(`${content.length.toString(16)}\r\n`), content, Buffer.from('\r\n')]);
}
