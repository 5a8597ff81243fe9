import { RedisSentinels, type RedisServer, SENTINEL_MASTER } from '@msg/testkit/redis';
import { machineUs, type RealKernel } from './real-kernel.ts';
import type { RealFailOver, RealStore, StoreParts } from './real-store.ts';
import { SetTruth } from './set-truth.ts';
import type { TappedTruth } from './tapped-truth.ts';
import { tellUntold } from './untold.ts';

/** As whom taps log in: what holds back replicas does not hold them back. */
const TAP_USER = 'tap';
/** As whom the Sentinels watch. */
const WATCH_USER = 'watch';
/** The Sentinels may find no replica fit, or no majority: the fail-over does not happen then. */
const PROMOTED_MS = 30_000;
const LOOKED_EVERY_MS = 20;

/** A master with two replicas and three Sentinels. */
export class Sentinels implements RealStore {
  readonly kind = 'sentinel';
  readonly ports: readonly number[];
  readonly #kernel: RealKernel;
  readonly #set: RedisSentinels;
  readonly #parts: StoreParts;
  readonly #truth: SetTruth;
  /** Roles of servers since they started last, as far as they are known. */
  readonly #roles = new Map<RedisServer, 'master' | 'slave'>();
  /** A server is down, or a fail-over has begun and not all follow the new master. */
  #isBusy = false;

  private constructor(kernel: RealKernel, set: RedisSentinels, parts: StoreParts) {
    this.#kernel = kernel;
    this.#set = set;
    this.#parts = parts;
    const servers = [set.master, ...set.replicas];
    this.ports = [...servers, ...set.sentinels].map(({ port }) => port);
    this.#truth = new SetTruth(kernel, servers, TAP_USER, {
      losesData: parts.persistence === 'no',
      known: (server, role) => this.#roles.set(server, role),
    });
  }

  static async start(kernel: RealKernel, parts: StoreParts): Promise<Sentinels> {
    const set = await RedisSentinels.start({ persistent: parts.persistence === 'always' });
    const started = new Sentinels(kernel, set, parts);
    for (const server of [set.master, ...set.replicas]) await addUsers(server);
    for (const sentinel of set.sentinels)
      for (const name of ['auth-user', 'auth-pass'])
        await sentinel.command('SENTINEL', 'SET', SENTINEL_MASTER, name, WATCH_USER);
    for (const server of [set.master, ...set.replicas])
      for (const type of ['normal', 'pubsub']) await server.command('CLIENT', 'KILL', 'TYPE', type);
    await started.#truth.start();
    return started;
  }

  get address(): string {
    return this.#set.address;
  }

  get tapped(): TappedTruth {
    return this.#truth.tapped;
  }

  masters(): readonly RedisServer[] {
    return [this.#truth.master];
  }

  nextMaster(): RedisServer {
    return this.#truth.master;
  }

  async flush(): Promise<void> {
    if (!this.#isBusy) await this.#truth.master.command('FLUSHALL').catch(() => undefined);
  }

  async kill(afterMs: number): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const server = this.#truth.master;
    const killedUs = machineUs();
    await server.kill();
    await this.#wait(afterMs);
    await this.#startAgain(server, killedUs);
    await this.#settled();
    this.#isBusy = false;
  }

  async failOver({ old, heldMs, backMs }: RealFailOver): Promise<void> {
    if (this.#isBusy) return;
    this.#isBusy = true;
    const server = this.#truth.master;
    if (heldMs > 0 || old === 'cut off') await holdReplicas(server);
    await this.#wait(heldMs);
    const killedUs = machineUs();
    if (old === 'dead') await server.kill();
    if (old === 'frozen') server.pause();
    if (old === 'cut off') await cutOff(server);
    // It is refused where no replica is fit.
    if (old === 'demoted')
      await this.#set.sentinels[0]?.command('SENTINEL', 'FAILOVER', SENTINEL_MASTER).catch(() => undefined);
    await this.#until(() => this.#truth.master !== server, PROMOTED_MS);
    if (old !== 'demoted') await this.#wait(backMs);
    if (old === 'frozen') server.resume();
    if (old === 'dead') await this.#startAgain(server, killedUs);
    else await release(server);
    await this.#settled();
    this.#isBusy = false;
  }

  async #startAgain(server: RedisServer, killedUs: number): Promise<void> {
    // Nothing is written before its tap hears it.
    const { gate } = this.#parts;
    gate(server.port, false);
    this.#roles.delete(server);
    await server.restart();
    await addUsers(server);
    await this.#until(() => this.#roles.has(server), PROMOTED_MS);
    // What a replaced one has on its disk is lost.
    if (server === this.#truth.master) tellUntold(this.tapped, server, killedUs);
    gate(server.port, true);
  }

  /** Resolves when every server but the master follows it. */
  #settled(): Promise<void> {
    const { master } = this.#truth;
    return this.#until(
      () => [...this.#roles].every(([server, role]) => server === master || role === 'slave'),
      PROMOTED_MS,
    );
  }

  #wait(ms: number): Promise<void> {
    return new Promise(resolve => this.#kernel.after(ms, resolve));
  }

  async #until(holds: () => boolean, forMs: number): Promise<void> {
    for (let leftMs = forMs; leftMs > 0 && !holds(); leftMs -= LOOKED_EVERY_MS)
      await this.#wait(LOOKED_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.#truth.stop();
    await this.#set.stop();
  }
}

async function addUsers(server: RedisServer): Promise<void> {
  await server.command('ACL', 'SETUSER', TAP_USER, 'on', 'nopass', '~*', '&*', '+@all');
  await server.command('ACL', 'SETUSER', WATCH_USER, 'on', `>${WATCH_USER}`, '~*', '&*', '+@all');
}

/** No replica gets what a server writes from now on. */
async function holdReplicas(server: RedisServer): Promise<void> {
  await server.command('ACL', 'SETUSER', 'default', '-psync', '-sync');
  await server.command('CLIENT', 'KILL', 'TYPE', 'replica', 'USER', 'default');
}

/** The Sentinels do not reach a server any more. */
async function cutOff(server: RedisServer): Promise<void> {
  await server.command('ACL', 'SETUSER', WATCH_USER, 'off');
  await server.command('CLIENT', 'KILL', 'USER', WATCH_USER);
}

/** Undoes {@link holdReplicas} and {@link cutOff}. */
async function release(server: RedisServer): Promise<void> {
  await server.command('ACL', 'SETUSER', 'default', '+psync', '+sync');
  await server.command('ACL', 'SETUSER', WATCH_USER, 'on');
}
