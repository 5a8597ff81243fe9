import type { Options, TransportEndpoint } from 'centrifuge';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import type { Actor } from '../kernel/actor.ts';
import type { Stream } from '../kernel/stream.ts';
import { browserFetch } from './browser-fetch.ts';
import type { ClientKinds, Transport } from './stock-builds.ts';

const TRANSPORTS: readonly Transport[] = ['websocket', 'http_stream', 'sse'];

/** Draws the transport of a client as the switch says. */
export function drawTransport(draw: Stream, { transport }: ClientKinds): Transport {
  return transport === 'mixed' ? draw.pick(TRANSPORTS) : (transport as Transport); // of the switch
}

/** What a client of a transport is made of. `begun` is called when an attempt to connect begins. */
export interface TransportParts {
  readonly actor: Actor;
  /** Where it reaches the service, as `host:port`. */
  readonly place: string;
  /** Its socket delivers every message in a task of its own, and nothing after `close()`. */
  readonly isLikeBrowser: boolean;
  readonly begun: () => void;
}

/** Where a client connects to, and with what. */
export function transportOptions(
  transport: Transport,
  parts: TransportParts,
): [endpoint: string | TransportEndpoint[], options: Partial<Options>] {
  const path = `${parts.place}/connection/${transport}`;
  if (transport === 'websocket') return [`ws://${path}`, { websocket: socketClass(parts) }];
  const endpoint = [{ transport, endpoint: `http://${path}` }];
  return [endpoint, { ...emulated(parts), emulationEndpoint: `http://${parts.place}/emulation` }];
}

/** What a browser gives to a client whose commands go in requests of their own. */
function emulated({ begun }: TransportParts): Partial<Options> {
  const fetchOfBrowser = browserFetch();
  return {
    fetch: (url: string, options: object) => {
      if (url.includes('/connection/')) begun();
      const answer = fetchOfBrowser(url, options);
      answer.catch(() => {}); // 5.7.4 leaves failures alone, which a page only logs
      return answer;
    },
    readableStream: ReadableStream,
    eventsource: class extends EventSource {
      constructor(url: string) {
        begun();
        super(url, { fetch: fetchOfBrowser });
      }
    },
  };
}

/**
 * `ws` with masks from the client's stream: its own come from a pool of the whole process. One like a browser's delivers
 * every message in a task of its own, and nothing after `close()`. 5.7.4 needs both: it mixes up messages that come at once, and
 * takes what a replaced connection still delivers for news.
 */
function socketClass({
  actor,
  isLikeBrowser,
  begun,
}: TransportParts): new (
  url: string,
  protocols?: string | string[],
) => WebSocket {
  const stream = actor.stream('masks');
  return class extends WebSocket {
    constructor(url: string, protocols?: string | string[]) {
      super(url, protocols, {
        generateMask: mask => stream.fill(mask),
        perMessageDeflate: false,
        allowSynchronousEvents: !isLikeBrowser,
      });
      begun();
    }

    override close(code?: number, reason?: string): void {
      if (isLikeBrowser) this.removeAllListeners('message');
      super.close(code, reason);
    }
  };
}
