import { eventually } from '../eventually.ts';
import { type RedisDirective, RedisServer, type RedisServerOptions } from './server.ts';

/** The name under which the Sentinels know the master. */
export const SENTINEL_MASTER = 'msg-master';

const SENTINELS = 3;
/** An election on a busy machine: a Sentinel that was held up for two seconds does nothing for thirty. */
const FAILOVER_MS = 120_000;

/** A master with replicas, watched by three Sentinels that replace it when it is gone for a second. */
export class RedisSentinels {
  /** The master at the start. After a failover ask {@link currentMaster}. */
  readonly master: RedisServer;
  readonly replicas: readonly RedisServer[];
  readonly sentinels: readonly RedisServer[];

  private constructor(
    master: RedisServer,
    replicas: readonly RedisServer[],
    sentinels: readonly RedisServer[],
  ) {
    this.master = master;
    this.replicas = replicas;
    this.sentinels = sentinels;
  }

  static async start(
    options: { readonly replicas?: number; readonly persistent?: boolean } = {},
  ): Promise<RedisSentinels> {
    const started: RedisServer[] = [];
    const start = async (settings: RedisServerOptions): Promise<RedisServer> => {
      const server = await RedisServer.start(settings);
      started.push(server);
      return server;
    };
    const persistent = options.persistent ?? false;
    try {
      const master = await start({ persistent, config: [['repl-diskless-sync-delay', '0']] });
      const replicas: RedisServer[] = [];
      for (let index = 0; index < (options.replicas ?? 2); index++)
        replicas.push(await start({ persistent, config: [['replicaof', master.host, String(master.port)]] }));
      const sentinels: RedisServer[] = [];
      for (let index = 0; index < SENTINELS; index++)
        sentinels.push(await start({ sentinel: true, config: watching(master) }));
      const topology = new RedisSentinels(master, replicas, sentinels);
      await topology.#agreed();
      return topology;
    } catch (error) {
      await Promise.all(started.map(server => server.stop()));
      throw error;
    }
  }

  /** `redis+sentinel://host:port,host:port,host:port/<master name>` */
  get address(): string {
    return `redis+sentinel://${this.sentinels.map(server => server.address).join(',')}/${SENTINEL_MASTER}`;
  }

  /** The master that the Sentinels name now. */
  async currentMaster(): Promise<RedisServer> {
    const sentinel = this.sentinels[0] as RedisServer;
    const answer = (await sentinel.command(
      'SENTINEL',
      'get-master-addr-by-name',
      SENTINEL_MASTER,
    )) as string[];
    const port = Number(answer[1]);
    const master = [this.master, ...this.replicas].find(server => server.port === port);
    if (master === undefined) throw new Error(`the Sentinels name an unknown master: ${answer.join(':')}`);
    return master;
  }

  /** Waits until another server than `old` is the master and takes writes; answers it. */
  async failedOver(old: RedisServer): Promise<RedisServer> {
    let master = old;
    const done = async (): Promise<boolean> => {
      master = await this.currentMaster();
      return master !== old && (await isMaster(master));
    };
    await eventually('the Sentinels elect another master', done, FAILOVER_MS);
    return master;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.sentinels, ...this.replicas, this.master].map(server => server.stop()));
  }

  /** Every Sentinel knows the others and the replicas, and the replicas are in step: a failover is possible. */
  async #agreed(): Promise<void> {
    for (const sentinel of this.sentinels)
      await eventually(
        'the Sentinels know each other and the replicas',
        () => this.#knows(sentinel),
        FAILOVER_MS,
      );
    await eventually('the replicas are in step', () => this.#inStep(), FAILOVER_MS);
  }

  async #knows(sentinel: RedisServer): Promise<boolean> {
    const flat = (await sentinel.command('SENTINEL', 'master', SENTINEL_MASTER)) as string[];
    const value = (name: string): number => Number(flat[flat.indexOf(name) + 1]);
    return value('num-other-sentinels') === SENTINELS - 1 && value('num-slaves') === this.replicas.length;
  }

  async #inStep(): Promise<boolean> {
    const states = await Promise.all(this.replicas.map(server => server.command('INFO', 'replication')));
    return states.every(state => String(state).includes('master_link_status:up'));
  }
}

function watching(master: RedisServer): readonly RedisDirective[] {
  const monitored = ['sentinel', 'monitor', SENTINEL_MASTER, master.host, String(master.port), '2'] as const;
  return [
    monitored,
    ['sentinel', 'down-after-milliseconds', SENTINEL_MASTER, '1000'],
    ['sentinel', 'failover-timeout', SENTINEL_MASTER, '5000'],
  ];
}

async function isMaster(server: RedisServer): Promise<boolean> {
  const role = (await server.command('ROLE').catch(() => [])) as string[];
  return role[0] === 'master';
}
