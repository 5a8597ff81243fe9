import { eventually } from '@msg/testkit';
import { RedisSentinels } from '@msg/testkit/redis';
import { type ClusterNode, startNodes } from '../../../support/cluster.ts';

const PREFIX = 'tail';
const CHANNEL = 'public:tail.news';

/** Two nodes with clients, a third that publishes and hears nothing, and a store whose replica can be held back. */
export class Stage {
  readonly channel = CHANNEL;
  readonly listening: readonly ClusterNode[];
  readonly publishing: ClusterNode;
  readonly #sentinels: RedisSentinels;
  readonly #paused = new Set<ClusterNode>();

  private constructor(sentinels: RedisSentinels, listening: readonly ClusterNode[], publishing: ClusterNode) {
    this.#sentinels = sentinels;
    this.listening = listening;
    this.publishing = publishing;
  }

  static async start(): Promise<Stage> {
    const sentinels = await RedisSentinels.start({ replicas: 1 });
    try {
      const [first, second, third] = await startNodes(3, sentinels.address, PREFIX);
      if (first === undefined || second === undefined || third === undefined) throw new Error('three nodes');
      await third.rpc('OpenPublic', { name: CHANNEL });
      return new Stage(sentinels, [first, second], third);
    } catch (error) {
      await sentinels.stop();
      throw error;
    }
  }

  /** Publishes texts, each once however often it has to be sent. */
  async publish(texts: readonly string[]): Promise<void> {
    for (const text of texts) {
      const request = { name: CHANNEL, json: { text }, idempotency_key: text };
      const isPublished = async (): Promise<boolean> =>
        (await this.publishing.rpc('Publish', request)).status === 200;
      await eventually(`${text} is published`, isPublished, 120_000, 20);
    }
  }

  /** The replica has what there is now, and gets nothing from here on. */
  async holdReplicaBack(): Promise<void> {
    const { master, replicas } = this.#sentinels;
    const [replica] = replicas;
    const stream = `${PREFIX}:b:1.stream.${CHANNEL}`;
    const length = await master.command('XLEN', stream);
    await eventually(
      'the replica has the stream',
      async () => (await replica?.command('XLEN', stream)) === length,
    );
    await master.command('ACL', 'SETUSER', 'default', '-psync', '-sync');
    await master.command('CLIENT', 'KILL', 'TYPE', 'replica');
  }

  /** The replica becomes the master. */
  async failOver(): Promise<void> {
    const { master } = this.#sentinels;
    await master.kill();
    await this.#sentinels.failedOver(master);
  }

  /** The listening nodes stand still. */
  pause(): void {
    for (const node of this.listening) {
      node.kill('SIGSTOP');
      this.#paused.add(node);
    }
  }

  resume(): void {
    for (const node of this.#paused) node.kill('SIGCONT');
    this.#paused.clear();
  }

  async stop(): Promise<void> {
    this.resume();
    await Promise.all([...this.listening, this.publishing].map(node => node.stop()));
    await this.#sentinels.stop();
  }
}
