import type { Actor } from '../kernel/actor.ts';
import type { RealKernel } from './real-kernel.ts';
import { Road } from './road.ts';
import type { ServiceProcess } from './service-process.ts';

/** Where those stand who have no way of their own. */
const COMMON = 'others';

/** Ways to the service, one for each of those that faults hit, and one for all others; each connection leads to any node. */
export class Roads {
  readonly #roads = new Map<string, Road>();
  #turn = 0;

  /** @param nodes asked at each connection */
  static async to(
    kernel: RealKernel,
    names: readonly string[],
    nodes: () => readonly ServiceProcess[],
  ): Promise<Roads> {
    const roads = new Roads();
    for (const name of [...names, COMMON])
      roads.#roads.set(name, await Road.to(kernel, () => roads.#next(nodes())));
    return roads;
  }

  of({ name }: Pick<Actor, 'name'>): Road {
    return this.#roads.get(name) ?? (this.#roads.get(COMMON) as Road); // set above
  }

  /** Those that listen, in turn. */
  #next(nodes: readonly ServiceProcess[]): { readonly host: string; readonly port: number } | undefined {
    const ports = nodes.flatMap(({ port }) => port ?? []);
    const port = ports[this.#turn++ % ports.length];
    return port === undefined ? undefined : { host: '127.0.0.1', port };
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#roads.values()].map(road => road.stop()));
  }
}
