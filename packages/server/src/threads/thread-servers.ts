import inspector from 'node:inspector';
import type { Socket } from 'node:net';
import { MsgError } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { ListenAddress } from '../config/listen-address.ts';
import { formatAddress, listen } from '../http/bind.ts';
import type { ListeningAddress } from '../http/own-servers.ts';
import { SHUTDOWN_GRACE_MS } from '../http/timeouts.ts';
import type { Logger } from '../observability/logger.ts';
import type { SubsystemState } from '../stores/subsystem-state.ts';
import { Acceptor } from './acceptor.ts';
import { HandedSockets } from './handed-sockets.ts';
import { Heart } from './heart.ts';
import { PlacedConnections } from './placed-connections.ts';
import type { Placement } from './placement.ts';
import type { SessionThread } from './session-thread.ts';
import { Supervisor, type ThreadEnd } from './supervisor.ts';
import type { ThreadListener } from './thread-data.ts';
import type { ThreadTable } from './thread-table.ts';

/** Beyond the grace time of its clients, a thread that has not stopped is terminated. */
const STRAGGLER_MS = SHUTDOWN_GRACE_MS + 500;

/** What {@link ThreadServers} runs with. */
export interface ThreadServersParts {
  readonly threads: number;
  readonly placement: Placement;
  readonly table: ThreadTable;
  readonly logger: Logger;
  /** Path prefix of the addresses. */
  readonly prefix: string;
  readonly drainWindowMs: number;
  /** What has to be settled before the threads start. */
  prepare(): Promise<void>;
  start(number: number, listeners: readonly ThreadListener[]): SessionThread;
  /** No thread has served for 30 s. */
  onNone(last: ThreadEnd | undefined): void;
}

/** A listener of main. */
interface OpenListener extends ThreadListener {
  /** Absent where threads accept themselves. */
  readonly acceptor?: Acceptor;
}

/** The servers of a service whose connections its threads hold. */
export class ThreadServers {
  readonly #parts: ThreadServersParts;
  readonly #supervisor: Supervisor;
  readonly #placed = new PlacedConnections();
  readonly #threads = new Map<number, SessionThread>();
  /** What is on its way to each thread. */
  readonly #handed = new Map<number, HandedSockets>();
  readonly #listeners: OpenListener[] = [];
  readonly #addresses: ListeningAddress[] = [];
  #heart: Heart | undefined;
  readonly #handoverFailures = new Map<number, number>();
  #isRunning = false;
  #closing: Promise<unknown> | undefined;

  constructor(parts: ThreadServersParts) {
    const { logger, threads, table } = parts;
    this.#parts = parts;
    this.#supervisor = new Supervisor({
      clock: systemClock,
      logger,
      threads,
      start: number => this.#startThread(number),
      watches: () => inspector.url() === undefined,
      onNone: last => parts.onNone(last),
    });
    this.#heart = new Heart(systemClock, table.row(0));
  }

  get addresses(): readonly ListeningAddress[] {
    return this.#addresses;
  }

  get supervisor(): Supervisor {
    return this.#supervisor;
  }

  /** Threads that serve, by number. */
  get running(): readonly SessionThread[] {
    return [...this.#threads.values()].filter(({ number }) => this.#supervisor.isUp(number));
  }

  /** Connections that could not be handed over, by the number of the thread. */
  get handoverFailures(): ReadonlyMap<number, number> {
    return this.#handoverFailures;
  }

  /** @throws MsgError MSG_INVALID_ARGUMENT for an address that cannot be listened on, or after the end. */
  async open(address: ListenAddress): Promise<ListeningAddress> {
    if (this.#closing !== undefined) throw new MsgError('MSG_INVALID_ARGUMENT', 'the service has stopped');
    const acceptor = new Acceptor(socket => this.#handOver(socket));
    const bound = await listen(acceptor.server, address);
    const shares = this.#parts.placement === 'reusePort';
    const listener = { address: { host: bound.address, port: bound.port }, shares };
    // The plain listener has shown that no other process has the port, which is all that it was for.
    if (shares) acceptor.close();
    this.#listeners.push({ ...listener, ...defined({ acceptor: shares ? undefined : acceptor }) });
    if (this.#isRunning) {
      await Promise.all(this.running.map(thread => thread.listen(listener)));
      acceptor.open();
    }
    const url = `http://${formatAddress(bound)}${this.#parts.prefix}`;
    const listening = { host: bound.address, port: bound.port, url };
    this.#addresses.push(listening);
    return listening;
  }

  /** Starts the threads; rejects when none serves, and then ends those that are still starting. */
  async start(): Promise<void> {
    await this.#parts.prepare();
    try {
      await this.#supervisor.start();
    } catch (error) {
      this.#supervisor.stop();
      for (const thread of this.#threads.values()) thread.terminate('error');
      throw error;
    }
    this.#isRunning = true;
    for (const { acceptor } of this.#listeners) acceptor?.open();
  }

  /** For `/readyz`: half of the threads have to serve. */
  state(): SubsystemState {
    const { up } = this.#supervisor;
    const { threads } = this.#parts;
    return { ok: up * 2 >= threads && up > 0, detail: `${up} of ${threads}` };
  }

  /** Threads send their clients elsewhere, and serve what still comes; resolves when all have. */
  async drain(): Promise<void> {
    this.#closing ??= this.#stop();
    await Promise.all([...this.#threads.values()].map(thread => thread.left));
  }

  /** Accepts no more connections. */
  leave(): void {
    this.#closing ??= this.#stop();
    for (const { acceptor } of this.#listeners) acceptor?.close();
  }

  /** Resolves when no thread holds a connection any more. */
  async emptied(): Promise<void> {
    this.leave();
    await this.#closing;
  }

  async close(): Promise<void> {
    await this.emptied();
    this.#heart?.stop();
  }

  async #stop(): Promise<void> {
    this.#supervisor.stop();
    await Promise.all([...this.#threads.values()].map(thread => this.#stopThread(thread)));
  }

  async #stopThread(thread: SessionThread): Promise<void> {
    const budget = this.#parts.drainWindowMs + STRAGGLER_MS;
    const timer = systemClock.setTimeout(() => thread.terminate('stuck'), budget, true);
    await thread.stop();
    thread.terminate('error');
    await thread.ended;
    systemClock.clearTimeout(timer);
  }

  #startThread(number: number): SessionThread {
    const { table, start } = this.#parts;
    const listeners = this.#listeners.map(({ address, shares }) => ({ address, shares }));
    const thread = start(number, listeners);
    this.#placed.begin(number, table.row(number));
    this.#threads.set(number, thread);
    const handed: HandedSockets = new HandedSockets({
      give: handles => thread.give(handles),
      notGiven: isFailure => {
        if (this.#handed.get(number) === handed) this.#placed.giveBack(number);
        if (isFailure) this.#handoverFailures.set(number, (this.#handoverFailures.get(number) ?? 0) + 1);
      },
    });
    this.#handed.set(number, handed);
    void thread.ended.then(() => {
      if (this.#threads.get(number) !== thread) return;
      this.#threads.delete(number);
      this.#handed.delete(number);
    });
    return thread;
  }

  #handOver(socket: Socket): boolean {
    const number = this.#placed.choose(this.#supervisor.placeable());
    const handed = number === undefined ? undefined : this.#handed.get(number);
    handed?.add(socket);
    return handed !== undefined;
  }
}
