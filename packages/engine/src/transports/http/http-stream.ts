import type { IncomingMessage } from 'node:http';
import type { RealtimeNode } from '../../node.ts';
import { isProtobuf, readBody } from './body.ts';
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

  protected async read(request: IncomingMessage): Promise<StreamRequest | number> {
    const body = await readBody(request, this.node.limits.messageBytes);
    if (body === 'too_large') return 413;
    return { form: isProtobuf(request) ? 'protobuf' : 'json', commands: body };
  }
}
