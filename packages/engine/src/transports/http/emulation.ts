import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EmulationRequest, jsonCodec, protobufCodec } from '@msg/protocol';
import type { RealtimeNode } from '../../node.ts';
import { isProtobuf, readWhole } from './body.ts';
import { answer, answeredByCors, type OriginOptions } from './cors.ts';
import { refuse } from './refusal.ts';

const STATUS = { accepted: 204, bad_request: 400, unknown: 404, busy: 503, failed: 500 } as const;

/**
 * The endpoint by which clients with a held response send their commands (client protocol 4.4). Replies never travel
 * in its answers. A request for a session of another node is forwarded.
 */
export class EmulationEndpoint {
  readonly #node: RealtimeNode;
  readonly #options: OriginOptions;

  constructor(node: RealtimeNode, options: OriginOptions = {}) {
    this.#node = node;
    this.#options = options;
  }

  /** Answers a request: 204, or why its commands were not taken. Never rejects. */
  async handle(request: IncomingMessage, response: ServerResponse, headers: string[] = []): Promise<void> {
    if (answeredByCors(request, response, headers, ['POST'], this.#options)) return;
    const body = await readWhole(this.#node.bodies, request, this.#node.limits.messageBytes);
    if (typeof body === 'string') {
      if (!response.destroyed) refuse(request, response, headers, body);
      return;
    }
    const decoded = decode(request, body.bytes);
    const outcome = decoded === undefined ? 'bad_request' : await this.#node.emulate(decoded);
    body.release();
    if (!response.destroyed) answer(request, response, headers, STATUS[outcome], '', false);
  }
}

function decode(request: IncomingMessage, body: Buffer): EmulationRequest | undefined {
  try {
    return (isProtobuf(request) ? protobufCodec : jsonCodec).decodeEmulation(body);
  } catch {
    return undefined;
  }
}
