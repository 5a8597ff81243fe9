import type { Actor } from '../kernel/actor.ts';
import type { WorldKernel } from '../kernel/world-kernel.ts';
import { NODE_HOST, NODE_PORT } from './node.ts';

/** Where an actor reaches the service, as `host:port`: in the simulation, every one at its load balancer. */
export function servicePlace(kernel: WorldKernel, actor: Actor): string {
  return kernel.serviceFor?.(actor) ?? `${NODE_HOST}:${NODE_PORT}`;
}
