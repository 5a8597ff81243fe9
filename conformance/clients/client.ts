import type { Centrifuge, Options, Subscription } from 'centrifuge';
import { EventSource } from 'eventsource';
import { SignJWT } from 'jose';
import { WebSocket } from 'ws';

type CentrifugeClass = typeof Centrifuge;

/** The package under test: a line of the published client. */
const name = process.env['CONFORMANCE_CLIENT'] ?? 'centrifuge';
const json = (await import(name)) as {
  Centrifuge: CentrifugeClass;
  UnauthorizedError: new (text: string) => Error;
};
const protobuf = (await import(`${name}/build/protobuf`)) as { Centrifuge: CentrifugeClass };

export const { UnauthorizedError } = json;
export const TRANSPORTS = ['websocket', 'http_stream', 'sse'] as const;
export type Transport = (typeof TRANSPORTS)[number];

const HOST = 'localhost:8000';
const RUNTIME = { websocket: WebSocket, fetch, eventsource: EventSource, readableStream: ReadableStream };

export interface ClientOptions extends Partial<Options> {
  readonly encoding?: 'json' | 'protobuf';
}

/** A client of the suite's server, not yet connected. */
export function client(
  transport: Transport,
  { encoding = 'json', ...options }: ClientOptions = {},
): Centrifuge {
  const scheme = transport === 'websocket' ? 'ws' : 'http';
  const endpoint = `${scheme}://${HOST}/connection/${transport}`;
  const Class = encoding === 'json' ? json.Centrifuge : protobuf.Centrifuge;
  return new Class([{ transport, endpoint }], {
    ...RUNTIME,
    emulationEndpoint: `http://${HOST}/emulation`,
    ...options,
  });
}

/** Resolves with the next event of that name. */
// biome-ignore lint/suspicious/noExplicitAny: the emitters type each event apart, and tests look into few of them
export function event(emitter: Centrifuge | Subscription, kind: string): Promise<any> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  (emitter as { once(kind: string, listener: (context: unknown) => void): void }).once(kind, resolve);
  return promise;
}

/** Collects the data of that many publications. */
export function publications(subscription: Subscription, count: number): Promise<unknown[]> {
  const { promise, resolve } = Promise.withResolvers<unknown[]>();
  const seen: unknown[] = [];
  subscription.on('publication', ({ data }) => {
    seen.push(data);
    if (seen.length === count) resolve(seen);
  });
  return promise;
}

/** Disconnects and waits until the client says so. */
export async function disconnected(centrifuge: Centrifuge): Promise<void> {
  const gone = event(centrifuge, 'disconnected');
  centrifuge.disconnect();
  await gone;
}

/** A call of the suite's HTTP API; its result. */
export async function api(method: string, body: object): Promise<{ offset: number; epoch: string }> {
  const response = await fetch(`http://${HOST}/api/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': 'test-api-key' },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result: { offset: number; epoch: string } };
  return result;
}

/** A token of the suite, for a channel when one is named; of the anonymous user. */
export function token(channel?: string): Promise<string> {
  return new SignJWT(channel === undefined ? {} : { channel })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuedAt()
    .sign(new TextEncoder().encode('secret'));
}

let channels = 0;
/** A channel name that nobody has used. */
export function uniqueChannel(prefix: string): string {
  channels += 1;
  return `${prefix}${process.pid}_${Date.now()}_${channels}`;
}

/** Waits until a condition holds. */
export async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await new Promise(resolve => setTimeout(resolve, 20));
}
