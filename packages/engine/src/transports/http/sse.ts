import type { IncomingMessage } from 'node:http';
import type { HttpNode, StreamOptions } from '../options.ts';
import type { RequestTransportRow } from '../row.ts';
import { readWhole } from './body.ts';
import type { RequestDenial } from './denial.ts';
import { streamFraming } from './framing.ts';
import { type StreamRequest, StreamTransport } from './stream-transport.ts';

/**
 * An empty line, sent at once: proxies and browsers then regard the stream as open. Without the carriage return of the
 * reference: a widely used `EventSource` for Node loses an event that arrives in one piece with one.
 */
const FIRST_BYTES = Buffer.from('\n');

const EVENTS = 'text/event-stream; charset=utf-8';
const CONTENT_TYPES = { json: EVENTS, protobuf: EVENTS };

/**
 * The server-sent-events endpoint of a node (client protocol 4.3): JSON only, one event per message. The first
 * commands are in the query member `cf_connect` of a GET, or in the body of a POST.
 */
export class SseTransport extends StreamTransport {
  protected readonly preamble = FIRST_BYTES;
  protected readonly contentTypes = CONTENT_TYPES;

  constructor(node: HttpNode, options: StreamOptions = {}) {
    super(node, sse, ['GET', 'POST'], options);
  }

  protected async read(request: IncomingMessage): Promise<StreamRequest | RequestDenial> {
    const { messageBytes } = this.node.limits;
    if (request.method === 'POST') {
      const body = await readWhole(this.node.bodies, request, messageBytes);
      return typeof body === 'string' ? body : { encoding: 'json', commands: body.bytes, body };
    }
    const url = request.url ?? '';
    const query = url.indexOf('?');
    const connect = query < 0 ? null : new URLSearchParams(url.slice(query)).get('cf_connect');
    if (connect === null || connect === '') return 'no_commands';
    const commands = Buffer.from(connect);
    return commands.length > messageBytes ? 'too_large' : { encoding: 'json', commands };
  }
}

/** The row of the transport. */
export const sse: RequestTransportRow = {
  kind: 'request',
  name: 'sse',
  path: '/connection/sse',
  // The manifest has no name for it (messaging details 11).
  announced: false,
  // JSON only.
  framing: (_encoding, chunked) => streamFraming('sse', chunked),
  open: (node, options) => new SseTransport(node, options),
};
