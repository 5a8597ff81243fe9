import type { MaybePromise } from '@msg/foundation/promises';
import { type KeyBound, type KeyCounts, OwnTotal, type Total } from '../bounds.ts';
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

/** Where connections are counted for the limits. */
export interface RegistryCounts {
  readonly connections: Total;
  /** By user and by address; absent: this node counts its own. */
  readonly counts: KeyCounts | undefined;
}

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
  /** Connections that {@link KeyCounts} may count. */
  readonly #counted = new Set<string>();
  readonly #places: Total;
  readonly #counts: KeyCounts | undefined;
  /** A place was taken for the session that opens next. */
  #isReserved = false;
  #closed = 0;
  #waiting: (() => void)[] = [];

  constructor(limits: ConnectionLimits, { connections, counts }: Partial<RegistryCounts> = {}) {
    this.#limits = limits;
    this.#places = connections ?? new OwnTotal();
    this.#counts = counts;
  }

  /** True at the limit of connections. */
  get full(): boolean {
    return this.#limits.connections > 0 && !this.#isReserved && this.#places.all >= this.#limits.connections;
  }

  /** Takes a place for the session that opens next; false at the limit of connections. */
  reserve(): boolean {
    this.#isReserved ||= this.#places.take(1, this.#limits.connections || Number.POSITIVE_INFINITY);
    return this.#isReserved;
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
    if (!this.#isReserved) this.#places.take(1, Number.POSITIVE_INFINITY);
    this.#isReserved = false;
    this.#all.set(session.connection.id, session);
  }

  /** Registers the session's user; false when the user or the address has too many connections. */
  register(session: Session): MaybePromise<boolean> {
    const { connectionsPerUser, connectionsPerAddress } = this.#limits;
    const { user } = session.connection;
    if (this.#counts !== undefined) return this.#registerInProcess(session, this.#counts);
    const { remoteAddress } = session.client.transport;
    // Connections inside this process have no address.
    const isCounted = connectionsPerAddress > 0 && remoteAddress !== '';
    if (isCounted && !addWithin(this.#byAddress, remoteAddress, session, connectionsPerAddress)) return false;
    return user === '' || addWithin(this.#byUser, user, session, connectionsPerUser);
  }

  /** As {@link register}, where the connections of other nodes count, too. */
  #registerInProcess(session: Session, counts: KeyCounts): MaybePromise<boolean> {
    const { id, user } = session.connection;
    if (user !== '') addWithin(this.#byUser, user, session, 0);
    const bounds = this.#boundsOf(session);
    if (bounds.length === 0) return true;
    this.#counted.add(id);
    return counts.add(id, bounds);
  }

  #boundsOf({ connection, client }: Session): readonly KeyBound[] {
    const { connectionsPerUser, connectionsPerAddress } = this.#limits;
    const { user } = connection;
    const { remoteAddress } = client.transport;
    const bounds: KeyBound[] = [];
    if (connectionsPerAddress > 0 && remoteAddress !== '')
      bounds.push({ key: `address ${remoteAddress}`, most: connectionsPerAddress });
    if (connectionsPerUser > 0 && user !== '') bounds.push({ key: `user ${user}`, most: connectionsPerUser });
    return bounds;
  }

  /** The session has closed; its transport may still be sending. */
  closed(session: Session): void {
    this.#closed++;
    this.#places.give(1);
    if (this.#counted.delete(session.connection.id)) this.#counts?.remove(session.connection.id);
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
