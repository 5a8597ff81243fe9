import type { IncomingMessage } from 'node:http';
import type { HttpNode, StreamOptions } from '../options.ts';
import type { RequestTransportRow } from '../row.ts';
import { isProtobuf, readWhole } from './body.ts';
import type { RequestDenial } from './denial.ts';
import { streamFraming } from './framing.ts';
import { type StreamRequest, StreamTransport } from './stream-transport.ts';

const CONTENT_TYPES = { json: 'application/json; charset=utf-8', protobuf: 'application/octet-stream' };

/**
 * The HTTP-streaming endpoint of a node (client protocol 4.2): a POST with the first commands is answered by a
 * stream of messages, JSON lines or length-delimited Protobuf.
 */
export class HttpStreamTransport extends StreamTransport {
  protected readonly preamble = null;
  protected readonly contentTypes = CONTENT_TYPES;

  constructor(node: HttpNode, options: StreamOptions = {}) {
    super(node, httpStream, ['POST'], options);
  }

  protected async read(request: IncomingMessage): Promise<StreamRequest | RequestDenial> {
    const body = await readWhole(this.node.bodies, request, this.node.limits.messageBytes);
    if (typeof body === 'string') return body;
    return { encoding: isProtobuf(request) ? 'protobuf' : 'json', commands: body.bytes, body };
  }
}

/** The row of the transport. */
export const httpStream: RequestTransportRow = {
  kind: 'request',
  name: 'http_stream',
  path: '/connection/http_stream',
  announced: true,
  framing: streamFraming,
  open: (node, options) => new HttpStreamTransport(node, options),
};
