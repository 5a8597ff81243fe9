import { EventSource } from 'eventsource';

/** A turn of the event loop, as browsers take one for each piece of a stream and each event. */
function turn(): Promise<void> {
  return new Promise(resolve => setImmediate(resolve));
}

/** `fetch` whose bodies give every piece a turn of its own; see {@link BrowserLikeSocket} for why. */
export const browserLikeFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const pieces = new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      await turn();
      controller.enqueue(piece);
    },
  });
  return new Response(body.pipeThrough(pieces), { status, statusText, headers });
};

/** Cuts a stream of server-sent events into its events, each in a turn of its own. */
function eventByEvent(hear: (data: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let rest = '';
  const decoder = new TextDecoder();
  return new TransformStream({
    async transform(piece, controller) {
      const events = (rest + decoder.decode(piece, { stream: true })).split('\n\n');
      rest = events.pop() ?? '';
      for (const event of events) {
        await turn();
        hear(event.slice(event.indexOf('data: ') + 'data: '.length));
        controller.enqueue(Buffer.from(`${event}\n\n`));
      }
    },
  });
}

/** An `EventSource` that gives every event a turn of its own. `hear` gets its data first. */
export class BrowserLikeEventSource extends EventSource {
  constructor(url: string, hear: (data: string) => void = () => {}) {
    super(url, {
      fetch: async (input, init) => {
        const { body, status, headers } = await fetch(input, init as RequestInit);
        return new Response(body?.pipeThrough(eventByEvent(hear)) ?? null, { status, headers });
      },
    });
  }
}
