import { defined } from '@msg/foundation/json';
import type { Actor } from '../kernel/actor.ts';
import { type Kernel, SimulatorError } from '../kernel/kernel.ts';
import { networkOf } from '../net/network.ts';
import type { SimSocket } from '../net/socket.ts';
import { AppendOnlyFile } from './append-only-file.ts';
import { moveKey } from './cluster/migration.ts';
import type { ClusterView } from './cluster/view.ts';
import { hasFlag } from './command-traits.ts';
import { Dispatcher } from './dispatcher.ts';
import { compile } from './lua/script.ts';
import { OutputLimit } from './output-limit.ts';
import type { Place } from './place.ts';
import { type Bytes, Failure } from './reply.ts';
import { Session } from './session.ts';
import { type RedisOptions, RedisState, type Write } from './state.ts';

export interface RedisServerOptions extends Pick<RedisOptions, 'login'> {
  /** How much more than asked for `MAXLEN ~` leaves; default: drawn. */
  readonly keepsMore?: number;
  /** The name of its actor. */
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** What it believes of its cluster, over restarts too; absent: it is in none. */
  readonly cluster?: ClusterView;
  /** Told of each write of a client that succeeded. */
  readonly written?: (write: Write) => void;
  /** Told of each write and message of a client, in their order. */
  readonly propagated?: (write: Write) => void;
  /** What was told since the last call belongs together. */
  readonly turnEnded?: () => void;
}

/** What a killed process finds on its disk: all writes, all but a drawn part of the last second, or nothing. */
export type Persistence = 'always' | 'everysec' | 'no';

export interface Restart {
  readonly afterMs: number;
  readonly persistence: Persistence;
  /** How long it answers LOADING; default: not at all. */
  readonly loadingMs?: number;
}

/** A Redis server of the world: an actor that listens on the simulated network. Faults are its methods and members. */
export class RedisServer {
  /** What the present life of the process holds. */
  state: RedisState;
  /** How much later commands are run. */
  lateMs = 0;
  readonly #kernel: Kernel;
  readonly #options: RedisServerOptions;
  readonly #disk: AppendOnlyFile;
  readonly #keepsAtMost: (length: number) => number;
  /** The clock of the write of a master that is repeated; undefined: none is. */
  #repeatedUs: number | undefined;

  constructor(kernel: Kernel, options: RedisServerOptions) {
    this.#kernel = kernel;
    this.#options = options;
    const left = options.keepsMore ?? this.actor.stream('redis').between(0, 100);
    this.#keepsAtMost = length => length + left;
    this.#disk = new AppendOnlyFile(this.#keepsAtMost);
    this.state = this.#newState();
  }

  get actor(): Actor {
    return this.#kernel.actor(this.#options.name);
  }

  /** Listens from this moment of the world on. */
  startAt(ms: number): void {
    const { host, port } = this.#options;
    this.#kernel.at(ms, this.actor, 'start', () => {
      networkOf(this.#kernel).listen(host, port, socket => this.#accept(socket));
    });
  }

  get place(): Place {
    return this.#options;
  }

  /** The process dies; {@link restart} begins another one. */
  kill(): void {
    this.#kernel.kill(this.actor);
  }

  /** Loses all data, in memory and on disk. */
  clear(): void {
    this.state.flushAll();
    this.#disk.empty();
  }

  /** These keys move to another server, on both disks. */
  moveKeys(keys: readonly Bytes[], to: RedisServer): void {
    for (const key of keys) moveKey(key, this.state, to.state);
    for (const server of [this, to]) server.#disk.begin(server.state);
  }

  /** Takes all data of another server in place of its own. */
  copyFrom({ state }: RedisServer): void {
    this.state.takeDatabases(state);
    this.#disk.begin(state);
  }

  /** Repeats what a master wrote, by its clock. */
  repeat(writes: readonly Write[]): void {
    const commands = new Dispatcher(this.state);
    const client = this.state.newClient({ send: () => undefined, end: () => undefined });
    for (const { atUs, database, args } of writes) {
      this.#repeatedUs = atUs;
      client.database = database;
      commands.execute(commands.find(args), args, client);
    }
    this.#repeatedUs = undefined;
    this.state.flush();
  }

  /** The process dies with its connections, scripts and subscriptions, and starts again on the same address. */
  restart({ afterMs, persistence, loadingMs = 0 }: Restart): void {
    const { actor } = this;
    const lostUs = persistence === 'everysec' ? actor.stream('lost').between(0, 1_000_000) : 0;
    const { master, replicas } = this.state;
    this.kill();
    this.actor.clockOffsetMs = actor.clockOffsetMs;
    this.state = this.#newState();
    Object.assign(this.state, { master, replicas });
    if (persistence === 'no') this.#disk.empty();
    this.#disk.load(this.state, this.#kernel.nowUs - lostUs);
    const startMs = this.#kernel.nowUs / 1000 + afterMs;
    this.startAt(startMs);
    if (loadingMs > 0) this.#load(startMs + loadingMs);
  }

  /** Commands end with this error line for a while, all of them or writes alone. */
  refuse(text: Bytes, which: 'all' | 'writes', forMs: number): void {
    const { state } = this;
    const refuses: RedisState['refusal'] = row =>
      which === 'all' || hasFlag(row, 'write') ? new Failure(text) : undefined;
    state.refusal = refuses;
    this.#later(forMs, 'refusal ends', () => {
      if (state.refusal === refuses) state.refusal = () => undefined;
    });
  }

  /** Of 100 messages to each subscriber so many vanish, for a while. */
  loseMessages(percent: number, forMs: number): void {
    const { state } = this;
    const draw = this.actor.stream('messages');
    const dropsMessage = (): boolean => draw.chance(percent);
    state.dropsMessage = dropsMessage;
    this.#later(forMs, 'messages arrive', () => {
      if (state.dropsMessage === dropsMessage) state.dropsMessage = () => false;
    });
  }

  /** An operator's FLUSHALL, SCRIPT FLUSH or CLIENT KILL. */
  operate(...args: readonly Bytes[]): void {
    this.#later(0, 'operator', () => {
      const session = new Session(this.state, { send: () => undefined, end: () => undefined });
      session.receive(`*${args.length}\r\n${args.map(text => `$${text.length}\r\n${text}\r\n`).join('')}`);
      session.closed();
    });
  }

  #later(ms: number, kind: string, run: () => void): void {
    this.#kernel.at(this.#kernel.nowUs / 1000 + ms, this.actor, kind, run);
  }

  #load(untilMs: number): void {
    const { state } = this;
    state.isLoading = true;
    state.refusal = row =>
      hasFlag(row, 'always') ? undefined : new Failure('LOADING Redis is loading the dataset in memory');
    this.#kernel.at(untilMs, this.actor, 'loaded', () => {
      state.isLoading = false;
      state.refusal = () => undefined;
    });
  }

  #newState(): RedisState {
    const { login, cluster } = this.#options;
    const draw = this.actor.stream('redis');
    const state = new RedisState({
      compile,
      ...defined({ login }),
      nowUs: () => this.#repeatedUs ?? this.#wallUs(this.actor),
      random: () => draw.fraction(),
      keepsAtMost: this.#keepsAtMost,
    });
    state.cluster = cluster;
    state.unknown = command => {
      this.#kernel.stop(new SimulatorError(`SIM_NOT_SIMULATED: the Redis command ${command}`));
    };
    state.written = write => {
      this.#disk.append(write, this.#kernel.nowUs);
      if (this.#repeatedUs !== undefined) return;
      this.#options.written?.(write);
      this.#options.propagated?.(write);
    };
    state.published = write => {
      if (this.#repeatedUs === undefined) this.#options.propagated?.(write);
    };
    state.turnEnded = () => this.#options.turnEnded?.();
    return state;
  }

  /** Unix microseconds of its own clock. */
  #wallUs({ clockOffsetMs }: Actor): number {
    const { nowUs, current } = this.#kernel;
    const commonMs = Date.now() - (current?.clockOffsetMs ?? 0);
    return Math.round((commonMs + clockOffsetMs) * 1000) + (nowUs % 1000);
  }

  #accept(socket: SimSocket): void {
    const limit = new OutputLimit(() => this.#kernel.nowUs / 1000);
    const session = new Session(this.state, {
      send: bytes => {
        if (socket.destroyed || socket.writableEnded) return;
        socket.write(Buffer.from(bytes, 'latin1'));
        if (session.client.hasSubscriptions && limit.isExceeded(socket.writableLength)) socket.destroy();
      },
      end: () => void socket.end(),
    });
    session.client.address = `${socket.remoteAddress}:${socket.remotePort}`;
    let readUs = 0;
    const late: string[] = [];
    socket.on('data', (bytes: Buffer) => {
      const text = bytes.toString('latin1');
      readUs = Math.max(readUs, this.#kernel.nowUs + this.lateMs * 1000);
      if (readUs <= this.#kernel.nowUs && late.length === 0) return session.receive(text);
      late.push(text); // events of one moment run in any order
      this.#later((readUs - this.#kernel.nowUs) / 1000, 'redis.late', () =>
        session.receive(late.shift() ?? ''),
      );
    });
    socket.on('end', () => socket.end());
    socket.on('error', () => undefined); // its end is told by `close`
    socket.on('close', () => session.closed());
  }
}
