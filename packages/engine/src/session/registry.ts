import type { ConnectionState } from './connection-state.ts';

/** A connection as the registry knows it. */
export interface RegisteredSession {
  readonly connection: Pick<ConnectionState, 'id' | 'user'>;
  /** `''` when requests to the emulation endpoint cannot name it. */
  readonly emulationSecret: string;
}

/**
 * The connections of one node, by id and by user. A session stays until its transport is gone, so that a
 * shutdown can wait for what is still being sent.
 */
export class SessionRegistry<Session extends RegisteredSession> {
  readonly #perUser: number;
  readonly #all = new Map<string, Session>();
  /** Connected sessions of named users. */
  readonly #byUser = new Map<string, Set<Session>>();
  /** Connected sessions whose commands come in through the emulation endpoint, by their secret. */
  readonly #emulated = new Map<string, Session>();
  #closed = 0;
  #waiting: (() => void)[] = [];

  /** `perUser`: connections of one named user; 0 means any number. */
  constructor(perUser: number) {
    this.#perUser = perUser;
  }

  /** Sessions that have not been closed. */
  get openCount(): number {
    return this.#all.size - this.#closed;
  }

  /** All sessions whose transport is not gone, closed ones included. */
  [Symbol.iterator](): IterableIterator<Session> {
    return this.#all.values();
  }

  get(id: string): Session | undefined {
    return this.#all.get(id);
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
    if (session.emulationSecret !== '') this.#emulated.set(session.emulationSecret, session);
  }

  /** A transport opened. */
  add(session: Session): void {
    this.#all.set(session.connection.id, session);
  }

  /** The session's user is known. False: the user has too many connections. */
  registerUser(session: Session): boolean {
    const { user } = session.connection;
    if (user === '') return true;
    const connections = this.#byUser.get(user);
    if (connections === undefined) {
      this.#byUser.set(user, new Set([session]));
      return true;
    }
    if (this.#perUser > 0 && connections.size >= this.#perUser) return false;
    connections.add(session);
    return true;
  }

  /** The session has closed; its transport may still be sending. */
  closed(session: Session): void {
    this.#closed++;
    this.#emulated.delete(session.emulationSecret);
    const ofUser = this.#byUser.get(session.connection.user);
    if (ofUser?.delete(session) === true && ofUser.size === 0) this.#byUser.delete(session.connection.user);
  }

  /** The transport of a closed session is gone. */
  transportClosed(session: Session): void {
    this.#all.delete(session.connection.id);
    this.#closed--;
    if (this.#all.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Resolves when no transport is left. */
  async empty(): Promise<void> {
    if (this.#all.size > 0) await new Promise<void>(resolve => this.#waiting.push(resolve));
  }
}
