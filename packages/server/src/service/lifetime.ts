import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import { SHUTDOWN_GRACE_MS } from '../http/timeouts.ts';
import type { SubsystemState, SubsystemStates } from '../stores/subsystem-state.ts';
import type { Service } from './compose.ts';
import { disposeResources } from './resources.ts';

/** How long a shutdown waits for running sends to sinks, which then become dead letters. */
const SINK_GRACE_MS = 4000;

/** A part that opens after the node and closes before the stores. */
interface Closable {
  open(): Promise<void>;
  close(): Promise<void>;
}

/** What runs beside the node. */
interface Background {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** The HTTP servers that the service opened. */
interface OwnServers {
  /** The node runs. Rejects when nothing can be served. */
  start?(): Promise<void>;
  /** The service drains; resolves when connections that others hold were sent elsewhere. */
  drain?(): Promise<void>;
  /** Accepts no more connections. */
  leave(): void;
  /** Resolves when others hold no connections any more: the node may stop. */
  emptied?(): Promise<void>;
  /** The state of what holds the connections; absent: the node holds them. */
  state?(): SubsystemState;
  /** Resolves when the last connection has closed. */
  close(): Promise<void>;
}

/** Publishes the rows of a database while the service runs. */
interface OutboxWork {
  start(): void;
  stop(): Promise<void>;
  health(): SubsystemState;
}

/** What {@link Lifetime} starts and stops. */
export interface LifetimeParts {
  readonly service: Service;
  readonly background: Background;
  readonly transports: Closable;
  readonly servers: OwnServers;
  /** The worker of the outbox, where there is one. */
  readonly outbox: () => OutboxWork | undefined;
  /** Time over which a drain disconnects the clients, milliseconds. */
  readonly drainWindowMs: number;
}

/** The life of one service: it starts once, runs, drains and ends. */
export class Lifetime {
  readonly #parts: LifetimeParts;
  readonly #ready = Promise.withResolvers<void>();
  readonly #stopping = new AbortController();
  #phase: 'starting' | 'running' | 'draining' = 'starting';
  #running: Promise<void> | undefined;
  #closing: Promise<void> | undefined;
  #failure: MsgError | undefined;

  constructor(parts: LifetimeParts) {
    this.#parts = parts;
    this.#ready.promise.catch(() => {}); // callers of `ready` get the error; this handles it without callers
  }

  /** Resolves once publishing is safe. */
  get ready(): Promise<void> {
    return this.#ready.promise;
  }

  /** True once the service has started, whatever it depends on. */
  get isAlive(): boolean {
    return this.#phase !== 'starting';
  }

  /** How far the life has come. */
  get phase(): 'starting' | 'running' | 'draining' {
    return this.#phase;
  }

  /** Whether clients are served correctly now, and the state of each part. */
  readiness(): { readonly ready: boolean; readonly subsystems: SubsystemStates } {
    const { node, clusterBus } = this.#parts.service;
    const isRunning = this.#phase === 'running' && node.running;
    const subsystems = {
      broker: isRunning ? { ok: true } : { ok: false, detail: this.#phase },
      ...clusterBus?.health,
      ...defined({ outbox: this.#parts.outbox()?.health(), threads: this.#parts.servers.state?.() }),
    };
    return { ready: Object.values(subsystems).every(({ ok }) => ok), subsystems };
  }

  /** Runs until the signal is aborted or {@link stop} is called, then drains; see `Msg.run`. */
  run(signal: AbortSignal, onLeft: () => void): Promise<void> {
    if (this.#running !== undefined || this.#closing !== undefined) {
      return Promise.reject(new MsgError('MSG_BROKER_INTERNAL', 'a service runs once'));
    }
    this.#running = this.#serve(AbortSignal.any([signal, this.#stopping.signal]), onLeft);
    return this.#running;
  }

  /** Drains, and resolves when everything has stopped; closes a service that did not run. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#running ?? this.close();
  }

  /** Ends a service that cannot go on: it drains, and {@link run} rejects. */
  fail(failure: MsgError): void {
    this.#failure ??= failure;
    this.#stopping.abort();
  }

  /** Closes a service that does not run. */
  close(): Promise<void> {
    if (this.#running !== undefined) return Promise.resolve();
    this.#closing ??= this.#release();
    return this.#closing;
  }

  async #serve(signal: AbortSignal, onLeft: () => void): Promise<void> {
    await this.#start();
    const { service, background, transports, servers, drainWindowMs } = this.#parts;
    const { node, channels, outbound } = service;
    this.#phase = 'running';
    this.#ready.resolve();
    this.#parts.outbox()?.start();
    await aborted(signal);
    this.#phase = 'draining';
    await this.#parts.outbox()?.stop();
    await Promise.all([node.leave(drainWindowMs), servers.drain?.()]);
    onLeft();
    servers.leave();
    service.appendStreams.stop();
    await background.stop();
    const shutDown = async (): Promise<void> => {
      await servers.emptied?.();
      await node.shutdown({ graceMs: SHUTDOWN_GRACE_MS });
    };
    await Promise.all([outbound.stop(SINK_GRACE_MS), shutDown()]);
    await transports.close();
    channels.close();
    await this.#release();
    if (this.#failure !== undefined) throw this.#failure;
  }

  async #start(): Promise<void> {
    const { service, background, transports, servers } = this.#parts;
    try {
      await service.node.start();
      await background.start();
      await transports.open();
      await servers.start?.();
    } catch (cause) {
      const error =
        cause instanceof MsgError
          ? cause
          : new MsgError('MSG_BROKER_INTERNAL', 'the broker could not start', { cause });
      if (error !== cause) service.onError(cause);
      this.#ready.reject(error);
      await servers.emptied?.();
      await background.stop();
      if (service.node.running) await service.node.shutdown();
      await this.#release();
      throw error;
    }
  }

  async #release(): Promise<void> {
    await this.#parts.servers.close();
    await disposeResources(this.#parts.service);
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
