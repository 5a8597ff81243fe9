import type { Limits } from '../limits.ts';
import type { TransportInfo } from '../policy.ts';
import type { ConnectionState } from './connection-state.ts';

/** A connection as the registry knows it. */
export interface RegisteredSession {
  readonly connection: Pick<ConnectionState, 'id' | 'user'>;
  /** Absent for a transport that does not use the emulation endpoint. */
  readonly emulationSecret: string | undefined;
  readonly client: { readonly transport: Pick<TransportInfo, 'remoteAddress'> };
}

/** How many connections there may be; 0 means any number. */
export type ConnectionLimits = Pick<Limits, 'connections' | 'connectionsPerUser' | 'connectionsPerAddress'>;

/**
 * The connections of one node, by id and by user. A session stays until its transport has closed, so that a shutdown can
 * wait for bytes that are still being sent.
 */
export class SessionRegistry<Session extends RegisteredSession> {
  readonly #limits: ConnectionLimits;
  readonly #all = new Map<string, Session>();
  /** Connected sessions of named users. */
  readonly #byUser = new Map<string, Set<Session>>();
  /** Connected sessions whose commands come in through the emulation endpoint, by their secret. */
  readonly #emulated = new Map<string, Session>();
  /** Connected sessions by address; filled only where that number is limited. */
  readonly #byAddress = new Map<string, Set<Session>>();
  #closed = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
  }

  /** True at the limit of connections. */
  get full(): boolean {
    return this.#limits.connections > 0 && this.openCount >= this.#limits.connections;
  }

  /** Sessions that have not been closed. */
  get openCount(): number {
    return this.#all.size - this.#closed;
  }

  /** All sessions whose transport is open, including closed sessions. */
  [Symbol.iterator](): IterableIterator<Session> {
    return this.#all.values();
  }

  get(id: string): Session | undefined {
    return this.#all.get(id);
  }

  /** Named users with connected sessions, and how many they have. */
  *users(): Iterable<readonly [user: string, sessions: number]> {
    for (const [user, sessions] of this.#byUser) yield [user, sessions.size];
  }

  /** Connected sessions of a named user. */
  ofUser(user: string): Iterable<Session> {
    return this.#byUser.get(user) ?? [];
  }

  /** The connected session that a request to the emulation endpoint names. */
  emulated(secret: string): Session | undefined {
    return this.#emulated.get(secret);
  }

  /** The session is connected: requests to the emulation endpoint may name it. */
  connected(session: Session): void {
    if (session.emulationSecret !== undefined) this.#emulated.set(session.emulationSecret, session);
  }

  /** A transport opened. */
  add(session: Session): void {
    this.#all.set(session.connection.id, session);
  }

  /** Registers the session's user; false when the user or the address has too many connections. */
  register(session: Session): boolean {
    const { connectionsPerUser, connectionsPerAddress } = this.#limits;
    const { remoteAddress } = session.client.transport;
    // Connections inside this process have no address.
    const isCounted = connectionsPerAddress > 0 && remoteAddress !== '';
    if (isCounted && !addWithin(this.#byAddress, remoteAddress, session, connectionsPerAddress)) return false;
    const { user } = session.connection;
    return user === '' || addWithin(this.#byUser, user, session, connectionsPerUser);
  }

  /** The session has closed; its transport may still be sending. */
  closed(session: Session): void {
    this.#closed++;
    if (session.emulationSecret !== undefined) this.#emulated.delete(session.emulationSecret);
    remove(this.#byUser, session.connection.user, session);
    remove(this.#byAddress, session.client.transport.remoteAddress, session);
  }

  /** The transport of a closed session has closed. */
  transportClosed(session: Session): void {
    this.#all.delete(session.connection.id);
    this.#closed--;
    if (this.#all.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when every transport has closed. */
  async empty(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }
}

/** Adds to the set of a name; false at `most` items, where 0 means any number. */
function addWithin<T>(sets: Map<string, Set<T>>, name: string, item: T, most: number): boolean {
  const set = sets.get(name);
  if (set === undefined) sets.set(name, new Set([item]));
  else if (most > 0 && set.size >= most) return false;
  else set.add(item);
  return true;
}

/** Removes from the set of a name, and the set with its last item. */
function remove<T>(sets: Map<string, Set<T>>, name: string, item: T): void {
  const set = sets.get(name);
  if (set?.delete(item) === true && set.size === 0) sets.delete(name);
}
