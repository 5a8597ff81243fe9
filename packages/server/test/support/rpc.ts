import type { Envelope, ManifestPayload } from '@msg/core';

/** An RPC answer as it came over HTTP. */
export interface RpcAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed body. */
  readonly body: Record<string, unknown>;
  /** `meta.code` of an error answer. */
  readonly code: string | undefined;
}

/** Sends one POST to an RPC path, body as given. */
export async function post(
  url: string,
  method: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<RpcAnswer> {
  const response = await fetch(`${url}/twirp/msg.MsgService/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  });
  return readAnswer(response);
}

/** Reads the answer of an RPC. */
export async function readAnswer(response: Response): Promise<RpcAnswer> {
  const body = (await response.json()) as RpcAnswer['body']; // the server answers JSON objects only
  const meta = body['meta'];
  const code = typeof meta === 'object' && meta !== null && 'code' in meta ? String(meta.code) : undefined;
  return { status: response.status, headers: response.headers, body, code };
}

/** A caller with a bearer. */
export function rpcOf(url: string, token?: string) {
  const headers: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return (method: string, request: object): Promise<RpcAnswer> =>
    post(url, method, JSON.stringify(request), headers);
}

/** The manifest payload of a server. */
export async function manifestOf(url: string): Promise<ManifestPayload> {
  const envelope = (await (await fetch(`${url}/manifest`)).json()) as Envelope<ManifestPayload>; // as documented
  return envelope.payload;
}
