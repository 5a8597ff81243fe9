import { get } from 'node:http';

/** How often a node is asked whether it is ready. */
const PROBE_MS = 100;

/** How a balancer chooses among the nodes that are ready: in turns, or the one with the fewest connections. */
export type Balancing = 'turns' | 'fewest';

/** Chooses the node of each connection as a load balancer does, without a hop of its own. */
export class Balancer {
  readonly ports: readonly number[];
  readonly #balancing: Balancing;
  readonly #ready: boolean[];
  /** Open connections of each node. */
  readonly #open: number[];
  readonly #probing: NodeJS.Timeout;
  #next = 0;

  constructor(ports: readonly number[], balancing: Balancing) {
    this.ports = ports;
    this.#balancing = balancing;
    this.#ready = ports.map(() => true);
    this.#open = ports.map(() => 0);
    this.#probing = setInterval(() => {
      for (const node of ports.keys()) this.#probe(node);
    }, PROBE_MS);
  }

  /** Nodes that get connections, as of the last probes. */
  get ready(): number {
    return this.#ready.filter(Boolean).length;
  }

  /** The node of the next connection; not `except`, which just refused it, where another one is ready. */
  choose(except?: number): number {
    const nodes = [...this.ports.keys()];
    const ready = nodes.filter(node => this.#ready[node] && node !== except);
    const among = ready.length > 0 ? ready : nodes;
    if (this.#balancing === 'turns') return among[this.#next++ % among.length] as number; // there is one
    return among.reduce((fewest, node) => (this.#openAt(node) < this.#openAt(fewest) ? node : fewest));
  }

  opened(node: number): void {
    this.#open[node] = this.#openAt(node) + 1;
  }

  closed(node: number): void {
    this.#open[node] = this.#openAt(node) - 1;
  }

  stop(): void {
    clearInterval(this.#probing);
  }

  #openAt(node: number): number {
    return this.#open[node] as number; // one for each port
  }

  #probe(node: number): void {
    const probe = get(
      { host: '127.0.0.1', port: this.ports[node], path: '/readyz', agent: false },
      answer => {
        answer.resume();
        this.#ready[node] = answer.statusCode === 200;
      },
    );
    probe.on('error', () => {
      this.#ready[node] = false;
    });
  }
}
