import type { Bytes } from '../../redis/reply.ts';
import { RealConnection } from '../real-connection.ts';
import type { Node } from '../replies.ts';
import { type RealServer, request } from '../sequence.ts';
import type { Migration } from './simulated.ts';

/** The real cluster. */
export interface RealCluster {
  readonly nodes: readonly RealServer[];
  /** The names of the nodes in the cluster. */
  readonly ids: readonly string[];
  /** Resolves when all nodes say the same about all slots. */
  agreed(): Promise<void>;
}

/** Keys of one MIGRATE. */
const BATCH = 100;
const MIGRATE_MS = '5000';

/** Connections to the members of a real cluster for one sequence: one that calls and one that listens for each. */
export class RealClusterTalk {
  readonly #cluster: RealCluster;
  readonly #callers: readonly RealConnection[];
  readonly #readers: readonly RealConnection[];
  readonly #operators: readonly RealConnection[];

  private constructor(cluster: RealCluster, connections: readonly (readonly RealConnection[])[]) {
    this.#cluster = cluster;
    [this.#callers = [], this.#readers = [], this.#operators = []] = connections;
  }

  /** Empties the cluster and connects. */
  static async open(cluster: RealCluster): Promise<RealClusterTalk> {
    const connect = () => Promise.all(cluster.nodes.map(({ host, port }) => RealConnection.open(host, port)));
    const talk = new RealClusterTalk(cluster, [await connect(), await connect(), await connect()]);
    for (const node of cluster.nodes.keys()) {
      await talk.#operate(node, 'FLUSHALL');
      await talk.#operate(node, 'SCRIPT', 'FLUSH');
    }
    return talk;
  }

  async call(node: number, args: readonly Bytes[]): Promise<readonly Node[]> {
    const connection = this.#callers[node];
    connection?.write(request(args));
    return (await connection?.take(1)) ?? [];
  }

  /** Sends a call whose first answer has come when this resolves. */
  async listen(node: number, args: readonly Bytes[], heard: number): Promise<void> {
    const connection = this.#readers[node];
    connection?.write(request(args));
    await connection?.arrived(heard);
  }

  /** What each reader got: as many as are expected, and what came besides. */
  async heard(expected: readonly number[]): Promise<readonly (readonly Node[])[]> {
    return Promise.all(
      this.#readers.map(async (reader, node) => [
        ...(await reader.take(expected[node] ?? 0)),
        ...reader.left,
      ]),
    );
  }

  async begin({ slot, from, to }: Migration): Promise<void> {
    await this.#operate(to, 'CLUSTER', 'SETSLOT', String(slot), 'IMPORTING', this.#id(from));
    await this.#operate(from, 'CLUSTER', 'SETSLOT', String(slot), 'MIGRATING', this.#id(to));
  }

  async move({ from, to }: Migration, keys: readonly Bytes[]): Promise<void> {
    const { host = '', port = 0 } = this.#cluster.nodes[to] ?? {};
    await this.#operate(from, 'MIGRATE', host, String(port), '', '0', MIGRATE_MS, 'REPLACE', 'KEYS', ...keys);
  }

  async end(migration: Migration): Promise<void> {
    const { slot, from, to } = migration;
    for (;;) {
      const answer = await this.#operate(from, 'CLUSTER', 'GETKEYSINSLOT', String(slot), String(BATCH));
      const keys = (answer?.items ?? []).map(({ text = '' }) => text);
      if (keys.length === 0) break;
      await this.move(migration, keys);
    }
    const others = [...this.#cluster.nodes.keys()].filter(node => node !== from && node !== to);
    for (const node of [to, from, ...others])
      await this.#operate(node, 'CLUSTER', 'SETSLOT', String(slot), 'NODE', this.#id(to));
    await this.#cluster.agreed();
  }

  close(): void {
    for (const connection of [...this.#callers, ...this.#readers, ...this.#operators]) connection.close();
  }

  async #operate(node: number, ...args: readonly Bytes[]): Promise<Node | undefined> {
    const connection = this.#operators[node];
    connection?.write(request(args));
    const [answer] = (await connection?.take(1)) ?? [];
    if (answer?.mark === '-') throw new Error(`${args.join(' ')}: ${answer.text}`);
    return answer;
  }

  #id(node: number): Bytes {
    return this.#cluster.ids[node] ?? '';
  }
}
