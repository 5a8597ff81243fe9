import { createHash } from 'node:crypto';
import { Client, type ClientOutput } from './client.ts';
import type { ClusterView } from './cluster/view.ts';
import { type CommandTraits, hasFlag } from './command-traits.ts';
import { Keyspace } from './keyspace.ts';
import type { Place } from './place.ts';
import { type Bytes, Failure, type Reply } from './reply.ts';

const DATABASES = 16;

/** What a script needs of the server. */
export interface ScriptHost {
  call(args: readonly Bytes[]): Reply;
}

/** A script, ready to run. */
export interface RunnableScript {
  run(keys: readonly Bytes[], args: readonly Bytes[], host: ScriptHost): Reply;
}

/** A write as the append-only file has it: what a script wrote is one of these for each command. */
export interface Write {
  readonly atUs: number;
  readonly database: number;
  readonly args: readonly Bytes[];
}

/** What a server takes from outside. */
export interface RedisOptions {
  /** Unix microseconds of the server's own clock. */
  readonly nowUs: () => number;
  /** A number of [0, 1): where the real one is free, this one draws. */
  readonly random: () => number;
  /** Makes a script ready to run; its name is what errors call it. */
  readonly compile: (source: Bytes, name: string) => RunnableScript;
  /** The only login; undefined: none is needed. */
  readonly login?: { readonly user: Bytes; readonly password: Bytes };
  /** What `MAXLEN ~` leaves of a stream; default: what was asked for, up to 100 more. */
  readonly keepsAtMost?: (length: number) => number;
}

/** The data of a server, without any connection. */
export class RedisState {
  readonly options: RedisOptions;
  readonly scripts = new Map<Bytes, RunnableScript>();
  readonly clients = new Map<number, Client>();
  readonly channels = new Map<Bytes, Set<Client>>();
  readonly shardChannels = new Map<Bytes, Set<Client>>();
  /** Told of a command that was asked for and is not simulated. */
  unknown: (command: Bytes) => void = () => undefined;
  /** Refuses a command before it runs: the error line of a fault. */
  refusal: (command: CommandTraits) => Failure | undefined = () => undefined;
  /** Whether a message to one subscriber vanishes. */
  dropsMessage: () => boolean = () => false;
  /** The data is not there yet. */
  isLoading = false;
  /** Told of each write that succeeded. */
  written: (write: Write) => void = () => undefined;
  /** Told of each message that was published. */
  published: (write: Write) => void = () => undefined;
  /** What was written since the last call belongs together. */
  turnEnded: () => void = () => undefined;
  /** The master that it follows; undefined: it is one itself. */
  master: Place | undefined;
  /** How many follow it. */
  replicas = 0;
  /** What it believes of its cluster; undefined: it is a server by itself. */
  cluster: ClusterView | undefined;
  #databases: Keyspace[];
  #clientIds = 0;
  readonly #pending = new Set<Client>();
  readonly #salt: number;

  constructor(options: RedisOptions) {
    this.options = options;
    this.#databases = Array.from({ length: DATABASES }, () => new Keyspace(() => this.nowMs()));
    this.#salt = Math.floor(options.random() * 2 ** 32);
  }

  nowMs(): number {
    return Math.floor(this.options.nowUs() / 1000);
  }

  /** Why a command is not run; undefined: it is. */
  refusalOf(command: CommandTraits): Failure | undefined {
    const refused = this.refusal(command);
    if (refused !== undefined || this.master === undefined || !hasFlag(command, 'write')) return refused;
    return new Failure("READONLY You can't write against a read only replica.");
  }

  /** A client that has no connection yet. */
  newClient(output: ClientOutput): Client {
    return new Client(++this.#clientIds, output, this.options.login === undefined, this.#pending);
  }

  /** Ends a connection after what was sent. */
  end(client: Client): void {
    client.flush();
    client.output.end();
    this.leave(client);
  }

  /** Ends the connection of another client: what it was not sent yet is lost. */
  kill(client: Client): void {
    client.drop();
    this.end(client);
  }

  /** The end of a turn: every client gets what waits for it. */
  flush(): void {
    for (const client of this.#pending) client.flush();
    this.#pending.clear();
    this.turnEnded();
  }

  /** A connection is gone: nothing knows it any more. */
  leave(client: Client): void {
    client.isEnded = true;
    this.clients.delete(client.id);
    for (const table of ['channels', 'shardChannels'] as const) {
      for (const name of client[table]) this[table].get(name)?.delete(client);
      client[table].clear();
    }
  }

  /** Undefined for a number that the server does not have. */
  database(index: number): Keyspace | undefined {
    return this.#databases[index];
  }

  flushAll(): void {
    for (const database of this.#databases) database.clear();
  }

  /** The content of all databases, for a copy of the server. */
  copyDatabases(): Keyspace[] {
    return this.#databases.map(database => database.copy(() => this.nowMs()));
  }

  /** Replaces the content of all databases. */
  takeDatabases(other: RedisState): void {
    this.#databases = other.#databases.map(database => database.copy(() => this.nowMs()));
  }

  keepsAtMost = (length: number): number =>
    this.options.keepsAtMost?.(length) ?? length + Math.floor(this.options.random() * 101);

  /** The place of a field in a large hash: another one for each server, never 0. */
  placeOf(field: Bytes): number {
    let digest = this.#salt ^ 0x811c9dc5;
    for (let at = 0; at < field.length; at++) digest = Math.imul(digest ^ field.charCodeAt(at), 0x01000193);
    return ((digest ^ (digest >>> 15)) >>> 0) + 1;
  }

  /** Keeps a script and answers its SHA-1. @throws what compiling throws */
  load(source: Bytes): Bytes {
    const sha1 = sha1Of(source);
    if (!this.scripts.has(sha1)) this.scripts.set(sha1, this.options.compile(source, `f_${sha1}`));
    return sha1;
  }
}

function sha1Of(source: Bytes): Bytes {
  return createHash('sha1').update(Buffer.from(source, 'latin1')).digest('hex');
}
