import { WebSocket } from 'ws';

/**
 * A WebSocket that gives every message an event of its own, as browsers do. Client 5.7 needs that: it delivers
 * publications out of order when several frames arrive in one turn of the event loop.
 */
export class BrowserLikeSocket extends WebSocket {
  constructor(url: string, subprotocol?: string) {
    super(url, subprotocol, { allowSynchronousEvents: false });
  }
}

export type WebSocketClass = new (url: string, subprotocol?: string) => WebSocket;
