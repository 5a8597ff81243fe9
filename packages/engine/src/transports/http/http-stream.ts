import type { IncomingMessage } from 'node:http';
import type { RealtimeNode } from '../../node.ts';
import { isProtobuf, readWhole } from './body.ts';
import type { RequestRefusal } from './refusal.ts';
import { type StreamOptions, type StreamRequest, StreamTransport } from './stream-transport.ts';

/**
 * The HTTP-streaming endpoint of a node (client protocol 4.2): a POST with the first commands is answered by a
 * stream of messages, JSON lines or length-delimited Protobuf.
 */
export class HttpStreamTransport extends StreamTransport {
  protected readonly preamble = null;

  constructor(node: RealtimeNode, options: StreamOptions = {}) {
    super(node, 'http_stream', ['POST'], options);
  }

  protected async read(request: IncomingMessage): Promise<StreamRequest | RequestRefusal> {
    const body = await readWhole(this.node.bodies, request, this.node.limits.messageBytes);
    if (typeof body === 'string') return body;
    return { form: isProtobuf(request) ? 'protobuf' : 'json', commands: body.bytes, body };
  }
}
