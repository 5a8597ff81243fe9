import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';

/** Connections that a browser opens to one host. */
const CONNECTIONS = 6;
/** Ends an event of a stream of server-sent events. */
const EVENT_END = '\n\n';

/** What its callers use of `fetch`. */
interface FetchOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly signal?: AbortSignal | null;
}

/**
 * `fetch` as a browser has it, HTTP/1.1 over the simulated network, for the clients of one actor: a body is a stream whose
 * pieces arrive in tasks of their own, and each server-sent event is one piece. Every request has a connection of its own.
 */
export function browserFetch(): typeof fetch {
  const agent = new Agent({ keepAlive: false, maxSockets: CONNECTIONS });
  // The agent itself would connect by the real network, which it has from inside of Node.js.
  agent.createConnection = ({ host, port }) => connect({ host: String(host), port: Number(port) }); // of the address
  const fetched = (url: string | URL, options: FetchOptions = {}): Promise<object> => {
    const { method = 'GET', headers = {}, body, signal } = options;
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, agent });
      const aborted = (): void => {
        sent.destroy();
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', aborted, { once: true });
      sent.on('error', () => reject(new TypeError('Failed to fetch')));
      sent.on('response', response => resolve(responseOf(response, signal)));
      sent.end(body);
    });
  };
  return fetched as unknown as typeof fetch; // answers have what stock clients use of a `Response`
}

function responseOf(response: IncomingMessage, signal: FetchOptions['signal']): object {
  const { statusCode: status = 0, headers } = response;
  const isOfEvents = headers['content-type']?.startsWith('text/event-stream') === true;
  return {
    status,
    ok: status >= 200 && status < 300,
    redirected: false,
    headers: { get: (name: string) => String(headers[name.toLowerCase()] ?? '') || null },
    body: streamOf(isOfEvents ? events(response) : response, response, signal),
  };
}

/** A stream of pieces; an abort ends it with its reason at once. */
function streamOf(
  pieces: AsyncIterable<Uint8Array>,
  response: IncomingMessage,
  signal: FetchOptions['signal'],
): ReadableStream<Uint8Array> {
  const iterator = pieces[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      start(controller) {
        signal?.addEventListener('abort', () => controller.error(signal.reason), { once: true });
      },
      async pull(controller) {
        const { done, value } = await iterator.next();
        if (!signal?.aborted) await turn();
        if (signal?.aborted) return;
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        response.destroy();
      },
    },
    { highWaterMark: 1 },
  );
}

/** A task of its own. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** Server-sent events one by one. */
async function* events(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const piece of pieces) {
    const texts = (rest + decoder.decode(piece, { stream: true })).split(EVENT_END);
    rest = texts.pop() ?? '';
    for (const text of texts) yield Buffer.from(text + EVENT_END);
  }
}
