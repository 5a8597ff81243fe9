import { defined, type JsonSource } from '@msg/foundation/json';
import type { Field } from '@msg/foundation/shape';
import { MsgError } from '../errors.ts';
import type { PublishPayload } from '../payload.ts';
import { METHODS, type RpcMethodName, type RpcRequest, type RpcResponse } from './methods.ts';
import type { TokenSource } from './renewing.ts';
import { errorOfAnswer, IGNORED_FIELDS_HEADER, TWIRP_PREFIX } from './twirp.ts';

/** The part of the standard `fetch` that the client uses. */
export type Fetch<Signal> = (
  url: string,
  init: { method: 'POST'; headers: Record<string, string>; body: string; signal?: Signal },
) => Promise<{
  readonly status: number;
  readonly headers?: { get(name: string): string | null };
  text(): Promise<string>;
}>;

/** Options of {@link createRpcClient}. `Signal` is the platform's AbortSignal. */
export interface RpcClientOptions<Signal> {
  /**
   * Base address of the service, `http://localhost:8000`, or those of several nodes: when one does not answer, the next
   * call goes to the next.
   */
  readonly server: string | readonly string[];
  /** Bearer, or a function that returns it before each call, such as `renewing(token)`; absent or empty: no bearer. */
  readonly token?: string | TokenSource;
  readonly fetch: Fetch<Signal>;
  /** Makes a signal for the timeout of each call. */
  readonly signal?: () => Signal;
  /** Called with the paths, comma separated, of members that the server ignored. */
  readonly onIgnored?: (method: RpcMethodName, fields: string) => void;
}

/** A request of callers: absent members at any depth mean their zero value; bytes may be any JSON value. */
export type Sparse<T> = T extends Uint8Array
  ? PublishPayload
  : T extends ReadonlyMap<string, unknown>
    ? T
    : T extends JsonSource
      ? unknown
      : T extends readonly (infer Item)[]
        ? readonly Sparse<Item>[]
        : T extends object
          ? { readonly [Member in keyof T]?: Sparse<T[Member]> }
          : T;

/** A typed client of the RPC. */
export interface RpcClient {
  /**
   * Calls a method.
   * @throws MsgError with the server's code; MSG_INVALID_ARGUMENT, without a request, for data that JSON cannot hold;
   * MSG_BROKER_NOT_READY when the server cannot be reached; MSG_INTERNAL for an invalid answer. Source: messaging details
   * 1.4 and 16.1.
   */
  call<M extends RpcMethodName>(name: M, request: Sparse<RpcRequest<M>>): Promise<RpcResponse<M>>;
  /** Which of the servers the next call goes to, as a number that grows. */
  readonly turn?: number;
  /** A call of this turn has no answer for too long: the next one goes to the next server. */
  moveOn?(turn: number): void;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The wait of a header in seconds. */
function retryAfter(value: string | null | undefined): number | undefined {
  return value != null && /^\d{1,6}$/.test(value) ? Number(value) * 1000 : undefined;
}

/** Makes a client of the service at `options.server`. */
export function createRpcClient<Signal>(options: RpcClientOptions<Signal>): RpcClient {
  const servers = [options.server].flat();
  let current = 0;
  // Of several calls that fail, one moves on.
  const moveOn = (turn: number): void => {
    if (current === turn) current++;
  };

  async function post(
    name: string,
    body: string,
    token: string,
  ): Promise<{ status: number; text: string; ignored: string; retryAfterMs: number | undefined }> {
    const turn = current;
    const base = (servers[turn % servers.length] ?? '').replace(/\/+$/, '');
    const headers: Record<string, string> = { 'content-type': 'application/json' };
    if (token !== '') headers['authorization'] = `Bearer ${token}`;
    const signal = options.signal?.();
    try {
      const answer = await options.fetch(base + TWIRP_PREFIX + name, {
        method: 'POST',
        headers,
        body,
        ...defined({ signal }),
      });
      const ignored = answer.headers?.get(IGNORED_FIELDS_HEADER) ?? '';
      const text = await answer.text();
      if (answer.status >= 500) moveOn(turn);
      return {
        status: answer.status,
        text,
        ignored,
        retryAfterMs: retryAfter(answer.headers?.get('retry-after')),
      };
    } catch (cause) {
      moveOn(turn);
      throw new MsgError('MSG_BROKER_NOT_READY', `no answer from ${base}`, { cause });
    }
  }

  async function callWith<M extends RpcMethodName>(
    token: string,
    name: M,
    request: Sparse<RpcRequest<M>>,
  ): Promise<RpcResponse<M>> {
    const { request: shape, response } = METHODS[name];
    // Request and response belong to the row of one name, of which the types know only a union.
    const body = (shape as Field<unknown>).write(request);
    const { status, text, ignored, retryAfterMs } = await post(name, JSON.stringify(body), token);
    if (ignored !== '') options.onIgnored?.(name, ignored);
    const value = parse(text);
    if (status !== 200) throw errorOfAnswer(status, value, retryAfterMs);
    try {
      return (response as Field<unknown>).read(value, '') as RpcResponse<M>;
    } catch (cause) {
      throw new MsgError('MSG_INTERNAL', `the answer of ${name} cannot be read`, { cause });
    }
  }

  async function issue(token: string, subject: string): Promise<string> {
    return (await callWith(token, 'IssueMgmt', { subject })).mgmt_token;
  }

  return {
    get turn() {
      return current;
    },
    moveOn,
    async call(name, request) {
      const { token = '' } = options;
      return callWith(typeof token === 'function' ? await token(issue) : token, name, request);
    },
  };
}
