import { MsgError } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { servedHosts } from '../http/bind.ts';
import type { HttpEndpoints } from '../http/endpoints.ts';
import { httpEndpoints } from '../http/service-endpoints.ts';
import { SHUTDOWN_GRACE_MS } from '../http/timeouts.ts';
import { UpgradeListener } from '../http/upgrade-listener.ts';
import type { Logger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { BackgroundWork } from '../service/background.ts';
import { compose } from '../service/compose.ts';
import { Lifetime } from '../service/lifetime.ts';
import type { MsgOptions } from '../service/options.ts';
import { acquireResources } from '../service/resources.ts';
import type { StoreBackend } from '../stores/contract.ts';
import type { SubsystemStates } from '../stores/subsystem-state.ts';
import { type SocketHandle, socketOf } from './handed-sockets.ts';
import { Heart } from './heart.ts';
import { LoopLagMeter } from './loop-lag.ts';
import type { PortCalls } from './port-calls.ts';
import {
  type CurrentSpan,
  RemoteSink,
  remoteApiRpc,
  remoteAuthorizer,
  remoteClientRpc,
  remoteHandlers,
  remoteLogin,
  remoteProvider,
} from './remote-parts.ts';
import type { ThreadData, ThreadListener } from './thread-data.ts';
import { ThreadServer } from './thread-server.ts';
import type { ThreadSeries } from './thread-snapshots.ts';
import { ThreadTable } from './thread-table.ts';

/** How long a thread waits for what main knows of the whole process. */
const WITHIN_MS = 1000;

interface Readiness {
  readonly ready: boolean;
  readonly subsystems: SubsystemStates;
}

/** What a thread runs with besides its data. */
export interface SessionParts {
  readonly calls: PortCalls;
  readonly stores: StoreBackend;
  /** Bytes that wait for main, in the ring and beside it. */
  readonly waitingBytes: () => number;
  readonly logger: Logger;
}

/** The service of one thread: composed as that of a node on a shared store, whose store is main (threads 1). */
export class SessionService {
  readonly #data: ThreadData;
  readonly #calls: PortCalls;
  readonly #tracing: Tracing | undefined;
  readonly #endpoints: HttpEndpoints;
  readonly #lifetime: Lifetime;
  readonly #server: ThreadServer;
  readonly #heart: Heart;
  readonly #lag = new LoopLagMeter();
  readonly #metrics: () => Promise<string>;
  readonly #waitingBytes: () => number;

  /** Opens the stores and makes the parts; nothing runs yet. */
  static async open(data: ThreadData, parts: SessionParts): Promise<SessionService> {
    const { calls, stores, logger } = parts;
    const { asks } = data;
    let tracing: Tracing | undefined;
    const spans: CurrentSpan = {
      get current() {
        return tracing?.current;
      },
    };
    const options: MsgOptions = {
      ...data.options,
      stores,
      logger,
      processMetrics: false,
      sinks: data.sinks.map(facts => new RemoteSink(facts, calls, spans)),
      ...defined({
        revocationStore: data.link.facts.revokes ? ('auto' as const) : undefined,
        clientRpc: asks.clientRpc ? remoteClientRpc(calls) : undefined,
        authorizer: asks.authorizer ? remoteAuthorizer(calls) : undefined,
        apiRpc: asks.apiRpc ? remoteApiRpc(calls) : undefined,
        webtransport: data.webtransport,
      }),
    };
    const resources = await acquireResources(options, { number: data.number, of: data.run.threads });
    ({ tracing } = resources);
    return new SessionService(data, parts, options, resources);
  }

  private constructor(
    data: ThreadData,
    { calls, waitingBytes }: SessionParts,
    options: MsgOptions,
    resources: Awaited<ReturnType<typeof acquireResources>>,
  ) {
    const service = compose(options, resources);
    const table = new ThreadTable(data.table);
    const row = table.row(data.number);
    this.#data = data;
    this.#tracing = service.tracing;
    this.#calls = calls;
    this.#waitingBytes = waitingBytes;
    this.#heart = new Heart(systemClock, row, table.row(0));
    this.#metrics = () => service.metrics.render();
    const { contentType } = service.metrics;
    this.#endpoints = httpEndpoints(service, options, {
      oidc: data.issuer === undefined ? undefined : { issuer: data.issuer, ...remoteProvider(calls) },
      consoleLogin: data.asks.login ? remoteLogin(calls) : undefined,
      health: {
        isAlive: () => this.#lifetime.isAlive && this.#heart.hearsMain,
        readiness: () => this.#readiness(),
      },
      metrics: { contentType, render: async () => (await calls.call('metrics')) as string },
      elsewhere: remoteHandlers(calls, service.tracing ?? { current: undefined }),
      run: data.run,
      sessionCounts: row,
      listenersElsewhere: () => table.listeners,
    });
    this.#server = new ThreadServer((request, response) => this.#endpoints.handle(request, response), {
      clock: systemClock,
      row,
    });
    UpgradeListener.of(this.#server.server).add(this.#endpoints.upgrades);
    service.ownNode.watchHealth(() => ({ ...this.#lifetime.readiness(), phase: this.#lifetime.phase }));
    let closed: Promise<void> | undefined;
    this.#lifetime = new Lifetime({
      service,
      background: new BackgroundWork(service, null),
      transports: this.#endpoints,
      servers: {
        leave: () => {
          closed = this.#server.close(SHUTDOWN_GRACE_MS);
        },
        close: () => closed ?? Promise.resolve(),
      },
      outbox: () => undefined,
      drainWindowMs: options.drainWindowMs ?? 0,
    });
    calls.handle('sockets', (handles: readonly SocketHandle[]) => {
      for (const handle of handles) {
        row.took();
        this.#server.take(socketOf(handle));
      }
    });
    calls.handle('listen', (listener: ThreadListener) => this.#listen(listener));
    calls.handle('keyUses', () => service.apiKeys.uses());
    calls.handle('series', () => this.#series());
  }

  /** The span of the current work (W3C Trace Context). */
  get traceparent(): string | undefined {
    return this.#tracing?.current?.traceparent;
  }

  /** Runs until the signal is aborted and everything has stopped; `onReady` is called when it serves. */
  async run(signal: AbortSignal, onReady: () => void): Promise<void> {
    const running = this.#lifetime.run(signal, () => this.#calls.send('left'));
    await Promise.race([this.#lifetime.ready, running]);
    for (const listener of this.#data.listeners) await this.#listen(listener);
    onReady();
    await running;
    this.#heart.stop();
  }

  async #listen({ address, shares }: ThreadListener): Promise<void> {
    this.#endpoints.hosts.addListener(await servedHosts(address, []));
    if (shares) await this.#server.share(address);
  }

  async #series(): Promise<ThreadSeries> {
    const text = await this.#metrics();
    return { text, lag: this.#lag.read(), waitingBytes: this.#waitingBytes() };
  }

  /** What main says of the process. */
  async #readiness(): Promise<Readiness> {
    const state = this.#lifetime.readiness();
    if (!state.ready) return state;
    const late = Promise.withResolvers<Readiness>();
    const timer = systemClock.setTimeout(() => {
      const threads = { ok: false, detail: 'the main thread does not answer' };
      late.resolve({ ready: false, subsystems: { ...state.subsystems, threads } });
    }, WITHIN_MS);
    try {
      return await Promise.race([this.#calls.call('readiness') as Promise<Readiness>, late.promise]);
    } catch (error) {
      throw error instanceof MsgError ? error : new MsgError('MSG_BROKER_NOT_READY', 'main does not answer');
    } finally {
      systemClock.clearTimeout(timer);
    }
  }
}
