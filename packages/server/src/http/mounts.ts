import {
  EmulationEndpoint,
  type HttpStreamOptions,
  type OriginDecision,
  type RealtimeNode,
  type RequestEndpoint,
  TRANSPORTS,
} from '@msg/engine';
import type { ClientAddress } from './client-address.ts';
import type { Origins } from './origins.ts';

/** An endpoint of the engine that answers whole requests, origin rules included. */
export type Mount = RequestEndpoint;

const DECISIONS: Readonly<Record<ReturnType<Origins['decide']>, OriginDecision>> = {
  none: 'same',
  listed: 'listed',
  any: 'any',
  refused: 'refused',
};

/** Paths of the emulation endpoint. */
const EMULATION_PATHS = ['/emulation', '/connection/emulation'];

/** The engine's transports over plain HTTP by path (messaging details 10.3, 11). */
export function streamMounts(
  node: RealtimeNode,
  clientAddress: ClientAddress,
  origins: Origins,
): ReadonlyMap<string, Mount> {
  const options: HttpStreamOptions = {
    decideOrigin: request => DECISIONS[origins.decide(request)],
    remoteAddress: request => clientAddress.of(request),
  };
  const mounts = new Map<string, Mount>();
  for (const row of TRANSPORTS) if (row.kind === 'request') mounts.set(row.path, row.open(node, options));
  const emulation = new EmulationEndpoint(node, options);
  for (const path of EMULATION_PATHS) mounts.set(path, emulation);
  return mounts;
}
