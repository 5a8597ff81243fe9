import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  EmulationEndpoint,
  type HttpStreamOptions,
  HttpStreamTransport,
  type OriginDecision,
  type RealtimeNode,
  SseTransport,
} from '@msg/engine';
import type { ClientAddress } from './client-address.ts';
import type { Origins } from './origins.ts';

/** Something of the engine that answers whole requests by itself, origin rules included. */
export interface Mount {
  handle(request: IncomingMessage, response: ServerResponse, headers: string[]): Promise<void>;
}

const VERDICTS: Readonly<Record<ReturnType<Origins['judge']>, OriginDecision>> = {
  none: 'same',
  listed: 'listed',
  any: 'any',
  refused: 'refused',
};

/** The engine's transports over plain HTTP by path (messaging details 10.3, 11). */
export function streamMounts(
  node: RealtimeNode,
  peer: ClientAddress,
  origins: Origins,
): ReadonlyMap<string, Mount> {
  const options: HttpStreamOptions = {
    decideOrigin: request => VERDICTS[origins.judge(request)],
    remoteAddress: request => peer.of(request),
  };
  const emulation = new EmulationEndpoint(node, options);
  return new Map<string, Mount>([
    ['/connection/http_stream', new HttpStreamTransport(node, options)],
    ['/connection/sse', new SseTransport(node, options)],
    ['/emulation', emulation],
    ['/connection/emulation', emulation],
  ]);
}
