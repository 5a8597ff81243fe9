import type { IncomingMessage, ServerResponse } from 'node:http';
import { type EmulationRequest, jsonCodec, protobufCodec } from '@msg/protocol';
import type { Limits } from '../../limits.ts';
import type { RequestEndpoint } from '../row.ts';
import { isProtobuf, type RequestBodies, readWhole } from './body.ts';
import { answer, answeredByCors, type OriginOptions } from './cors.ts';
import { refuse } from './denial.ts';

/** What became of commands that came in through the emulation endpoint. */
export type EmulationOutcome =
  | 'accepted'
  /** The data are no frame of commands for the session's encoding. */
  | 'bad_request'
  /** No such session, or no such node. */
  | 'unknown'
  /** The session has more commands waiting than it may. */
  | 'busy'
  /** The other node did not answer. */
  | 'failed';

/** What the endpoint needs of its node. */
export interface EmulationNode {
  readonly bodies: RequestBodies;
  readonly limits: Pick<Limits, 'messageBytes'>;
  /** Gives commands to the session that they name, here or on another node. */
  emulate(request: EmulationRequest): Promise<EmulationOutcome>;
}

const STATUS: Readonly<Record<EmulationOutcome, number>> = {
  accepted: 204,
  bad_request: 400,
  unknown: 404,
  busy: 503,
  failed: 500,
};

/**
 * The endpoint by which clients with a held response send their commands (client protocol 4.4). Replies never travel
 * in its answers. A request for a session of another node is forwarded.
 */
export class EmulationEndpoint implements RequestEndpoint {
  readonly #node: EmulationNode;
  readonly #options: OriginOptions;

  constructor(node: EmulationNode, options: OriginOptions = {}) {
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
