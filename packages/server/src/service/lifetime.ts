import { MsgError } from '@msg/core';
import { SHUTDOWN_GRACE_MS } from '../http/timeouts.ts';
import type { SubsystemStates } from '../stores/subsystem-state.ts';
import type { BackgroundWork } from './background.ts';
import type { Service } from './compose.ts';
import { disposeResources } from './resources.ts';

/** How long a shutdown waits for running sends to sinks, which then become dead letters. */
const SINK_GRACE_MS = 4000;

/** A part that opens after the node and closes before the stores. */
interface Closable {
  open(): Promise<void>;
  close(): Promise<void>;
}

/** The HTTP servers that the service opened. */
interface OwnServers {
  /** Accepts no more connections. */
  leave(): void;
  /** Resolves when the last connection has closed. */
  close(): Promise<void>;
}

/** What {@link Lifetime} starts and stops. */
export interface LifetimeParts {
  readonly service: Service;
  readonly background: BackgroundWork;
  readonly transports: Closable;
  readonly servers: OwnServers;
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
    await aborted(signal);
    this.#phase = 'draining';
    await node.leave(drainWindowMs);
    onLeft();
    servers.leave();
    service.appendStreams.stop();
    await background.stop();
    await Promise.all([outbound.stop(SINK_GRACE_MS), node.shutdown({ graceMs: SHUTDOWN_GRACE_MS })]);
    await transports.close();
    channels.close();
    await this.#release();
  }

  async #start(): Promise<void> {
    const { service, background, transports } = this.#parts;
    try {
      await service.node.start();
      await background.start();
      await transports.open();
    } catch (cause) {
      const error =
        cause instanceof MsgError
          ? cause
          : new MsgError('MSG_BROKER_INTERNAL', 'the broker could not start', { cause });
      this.#ready.reject(error);
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
