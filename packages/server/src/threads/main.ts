import { availableParallelism } from 'node:os';
import { MsgError } from '@msg/core';
import { systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { withDeadline } from '@msg/foundation/promises';
import type { OidcBridge } from '../auth/access/oidc/bridge.ts';
import type { OperatorLogin } from '../auth/access/oidc/code-login.ts';
import type { RenderedMetrics } from '../http/metrics-route.ts';
import type { RunFacts } from '../http/run-facts.ts';
import { settleWebTransportPort } from '../http/webtransport.ts';
import { errorFields, originalFields } from '../observability/logger.ts';
import type { Service } from '../service/compose.ts';
import type { MsgOptions } from '../service/options.ts';
import type { Resources } from '../service/resources.ts';
import type { SubsystemStates } from '../stores/subsystem-state.ts';
import { STORE_ERRORS } from '../stores/threads/errors.ts';
import { MainStores } from '../stores/threads/main-stores.ts';
import type { KeyUses, WebTransportOptions } from './calls.ts';
import { cpuQuota } from './cpu-quota.ts';
import { heapOfThread, memoryLimit, youngHeapOfThread } from './heap-limit.ts';
import { mainAnswers } from './main-answers.ts';
import { findPlacement, type Placement } from './placement.ts';
import { SessionThread } from './session-thread.ts';
import type { ThreadEnd } from './supervisor.ts';
import { requireThreads, type ThreadCount, threadCount } from './thread-count.ts';
import type { ThreadListener } from './thread-data.ts';
import { ThreadMetrics } from './thread-metrics.ts';
import { requireReach, requireSpreadable, threadOptions } from './thread-options.ts';
import { ThreadServers } from './thread-servers.ts';
import { ThreadTable } from './thread-table.ts';

/** The thread that has the listener of WebTransport (threads 1.3). */
const WEBTRANSPORT_THREAD = 1;
/** How long a thread is waited for that is asked for uses of API keys. */
const KEY_USES_MS = 1000;

/** What threads need of the service of main. */
export interface MainService {
  readonly service: Service;
  readonly oidc: OidcBridge | undefined;
  readonly consoleLogin: OperatorLogin | undefined;
  readonly run: RunFacts;
  /** Path prefix of all routes. */
  readonly prefix: string;
  readonly readiness: () => { readonly ready: boolean; readonly subsystems: SubsystemStates };
  /** The service cannot go on. */
  readonly onFailed: (failure: MsgError) => void;
}

/** How many threads a machine gets, and how connections reach them. */
interface SettledThreads extends ThreadCount {
  readonly placement: Placement | undefined;
}

/**
 * Settles option `threads` on this machine; `key` names it in errors.
 * @throws MsgError MSG_INVALID_ARGUMENT
 */
async function settleThreads(asked: unknown, key: string): Promise<SettledThreads> {
  const wanted = requireThreads(asked, key);
  const placement = wanted === 1 ? undefined : await findPlacement();
  const machine = {
    parallelism: availableParallelism(),
    quota: await cpuQuota(),
    memoryBytes: memoryLimit(),
    spreads: placement !== undefined,
    version: process.versions.node,
    platform: process.platform,
  };
  return { ...threadCount(wanted, machine, key), placement };
}

/** The threads of one service, as main starts and serves them. */
export class MainThreads {
  readonly #options: MsgOptions;
  readonly count: number;
  readonly #placement: Placement;
  readonly #table = new ThreadTable();
  #stores: MainStores<Resources, MsgOptions> | undefined;
  #metrics: ThreadMetrics | undefined;

  private constructor(options: MsgOptions, threads: number, placement: Placement) {
    this.#options = options;
    this.count = threads;
    this.#placement = placement;
  }

  /**
   * The threads that the options ask for; undefined where that is one.
   * @throws MsgError MSG_INVALID_ARGUMENT for another number, for options that several threads cannot serve, and where
   * connections cannot be spread
   */
  static async open(options: MsgOptions): Promise<MainThreads | undefined> {
    const { threads, reason, placement } = await settleThreads(options.threads, 'server.threads');
    options.logger?.info(
      { threads, ...defined({ threads_reason: reason, placement }) },
      'threads are settled',
    );
    if (threads === 1 || placement === undefined) return undefined;
    requireSpreadable(options);
    return new MainThreads(options, threads, placement);
  }

  /**
   * What main's service is composed of: its own stores, which its threads share.
   * @throws MsgError MSG_INVALID_ARGUMENT for stores that join several processes and not their threads
   */
  share(opened: Resources): { readonly resources: Resources; readonly options: MsgOptions } {
    requireReach(opened.stores);
    this.#stores = new MainStores(opened, this.#options);
    return this.#stores;
  }

  /** The metrics of the process. */
  get metrics(): RenderedMetrics {
    const metrics = (): ThreadMetrics => {
      if (this.#metrics === undefined)
        throw new MsgError('MSG_BROKER_NOT_READY', 'the service is not made yet');
      return this.#metrics;
    };
    return { contentType: 'text/plain; version=0.0.4; charset=utf-8', render: () => metrics().render() };
  }

  /** The servers of the service. */
  servers(main: MainService): ThreadServers {
    const { service, prefix, onFailed, readiness } = main;
    const metrics = new ThreadMetrics({
      threads: this.count,
      region: this.#options.region ?? '',
      table: this.#table,
      servers: () => servers,
      ofMain: () => service.metrics.render(),
    });
    this.#metrics = metrics;
    const answers = mainAnswers({
      service,
      options: this.#options,
      oidc: main.oidc,
      consoleLogin: main.consoleLogin,
      readiness,
      metrics: () => metrics.render(),
      readKeyUses: () => readKeyUses(service, servers.running),
    });
    const servers = new ThreadServers({
      threads: this.count,
      placement: this.#placement,
      table: this.#table,
      logger: service.logger,
      prefix,
      drainWindowMs: this.#options.drainWindowMs ?? 0,
      prepare: () => this.#settleWebTransport(),
      start: (number, listeners) => {
        const thread = this.#startThread(number, { main, listeners, answers });
        metrics.follow(thread);
        return thread;
      },
      onNone: last => onFailed(noThread(last)),
    });
    return servers;
  }

  /** The listeners of transports, which one thread has. */
  get listeners(): ReadonlyMap<string, number> {
    return this.#table.listeners;
  }

  async #settleWebTransport(): Promise<void> {
    const { webtransport } = this.#options;
    if (webtransport !== undefined) this.#table.webtransportPort = await settleWebTransportPort(webtransport);
  }

  /** For the thread that has the listener: its port is the one that was settled, also when the thread is started again. */
  #webtransportOf(number: number): WebTransportOptions | undefined {
    const { webtransport } = this.#options;
    if (webtransport === undefined || number !== WEBTRANSPORT_THREAD) return undefined;
    const host = webtransport.addr.slice(0, webtransport.addr.lastIndexOf(':') + 1);
    return { ...webtransport, addr: `${host}${this.#table.webtransportPort}` };
  }

  #startThread(
    number: number,
    {
      main,
      listeners,
      answers,
    }: {
      readonly main: MainService;
      readonly listeners: readonly ThreadListener[];
      readonly answers: ReturnType<typeof mainAnswers>;
    },
  ): SessionThread {
    const { service, run, oidc, consoleLogin } = main;
    const { clientRpc, authorizer, apiRpc } = this.#options;
    const keys = service.sinks.publicKeys();
    const attached = this.#attach(number);
    const parts = {
      number,
      attached,
      row: this.#table.row(number),
      data: {
        table: this.#table.memory,
        options: threadOptions(this.#options),
        sinks: service.sinks.names().map(name => ({ name, ...defined({ publicKey: keys[name] }) })),
        asks: {
          clientRpc: clientRpc !== undefined,
          authorizer: authorizer !== undefined,
          apiRpc: apiRpc !== undefined,
          login: consoleLogin !== undefined,
        },
        issuer: oidc?.issuer,
        run,
        listeners,
        ...defined({ webtransport: this.#webtransportOf(number) }),
      },
      answers,
      errors: STORE_ERRORS,
      ...defined({ heapMb: heapOfThread(memoryLimit(), this.count), youngHeapMb: youngHeapOfThread() }),
      logger: service.logger,
      onError: (error: unknown) => service.logger.error(originalFields(error), 'internal failure'),
    };
    try {
      return new SessionThread(parts);
    } catch (error) {
      void attached.detach(); // its ports would keep a process that cannot start
      throw error;
    }
  }

  #attach(number: number) {
    if (this.#stores === undefined) throw new MsgError('MSG_INTERNAL', 'the stores are not shared yet');
    return this.#stores.attach(number);
  }
}

/** Takes over what threads have seen of the use of API keys; those that do not answer soon are left out. */
async function readKeyUses({ apiKeys }: Service, threads: readonly SessionThread[]): Promise<void> {
  const asked = threads.map(async thread => {
    const none = (): KeyUses => [];
    const uses = thread.keyUses().catch(none); // it has ended meanwhile
    apiKeys.raiseUses(await withDeadline(systemClock, KEY_USES_MS, uses, none));
  });
  await Promise.all(asked);
}

function noThread(last: ThreadEnd | undefined): MsgError {
  const { error = '' } = last === undefined ? {} : errorFields(last.error);
  return new MsgError('MSG_BROKER_INTERNAL', `no thread has served for 30 s; the last one ended: ${error}`);
}
