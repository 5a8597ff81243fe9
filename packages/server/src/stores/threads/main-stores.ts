import {
  type AttachedThread,
  type LinkSizes,
  type ThreadHost,
  type ThreadHostOptions,
  threadHost,
} from '@msg/engine/threads';
import { type Clock, systemClock } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import { AuditRing } from '../../audit/memory.ts';
import type { Keyring } from '../../auth/keys/keyring.ts';
import type { RedemptionStore } from '../../auth/tokens/refresh/contract.ts';
import type { RevocationStore } from '../../auth/tokens/revocation/contract.ts';
import type { KeyUsageStore } from '../../auth/usage/contract.ts';
import { FileKeyUsageStore } from '../../auth/usage/file.ts';
import { MemoryKeyUsageStore } from '../../auth/usage/memory.ts';
import { MemoryConsoleSessions } from '../../console/sessions/memory.ts';
import type { DeadLetterQueue } from '../../notify/dead-letters/contract.ts';
import { MemoryJobStore } from '../../notify/dead-letters/jobs/memory.ts';
import { type Logger, originalFields, silentLogger } from '../../observability/logger.ts';
import type { RateLimiter } from '../../rate-limits/contract.ts';
import type { MeasuredStores } from '../contract.ts';
import { SERVICE_TOTALS } from '../totals.ts';
import { ASKED } from './calls.ts';
import { STORE_ERRORS } from './errors.ts';
import { ProcessBus } from './process-bus.ts';
import { type ServedStores, ServedThread } from './serving.ts';
import { type LiveApiKeys, SharedApiKeys, SharedKeyring, SharedSchemas } from './shared-copies.ts';
import { SharedRegistry } from './shared-registry.ts';
import { SharedRevocations } from './shared-revocations.ts';
import type { StoreFacts, StoresLink } from './thread-stores.ts';
import { newVersions } from './versions.ts';

/** A copy of a channel's record serves so long where other processes change channels, too. */
const COPY_MS = 1000;

/** What main has opened. */
export interface SharedResources {
  readonly stores: MeasuredStores;
  readonly keyring: Pick<Keyring, 'live' | 'backend' | 'location'>;
  readonly apiKeys: LiveApiKeys;
  readonly tracing?: Required<Pick<ThreadHostOptions, 'below'>> | undefined;
}

/** The options of the service that name stores. */
export interface SharedOptions {
  readonly dlq?: DeadLetterQueue;
  readonly refreshStore?: RedemptionStore;
  readonly revocationStore?: RevocationStore | 'auto';
  readonly stateDir?: string;
  readonly audit?: { readonly ring?: number };
  readonly nodeId?: string;
  readonly logger?: Logger;
  readonly clock?: Clock;
}

/** A thread that main serves, streams and stores. */
export interface AttachedStores extends AttachedThread {
  /** For `workerData`. */
  readonly link: StoresLink;
}

/**
 * The stores of a process with threads: main owns them, whatever they are, its own service is composed over
 * {@link MainStores.resources}, and each thread asks through its link (threads 1 and 5).
 */
export class MainStores<
  Resources extends SharedResources = SharedResources,
  Options extends SharedOptions = SharedOptions,
> {
  /** What main's service is made of: the opened resources, whose changes reach the threads. */
  readonly resources: Resources;
  /** The options of main's service: their stores have the same effect. */
  readonly options: Options;
  readonly #host: ThreadHost;
  readonly #bus: ProcessBus;
  readonly #registry: SharedRegistry;
  readonly #schemas: SharedSchemas;
  readonly #revocations: SharedRevocations;
  readonly #served: Omit<ServedStores, 'registry' | 'schemas' | 'revocations'> & {
    readonly deadLetters: DeadLetterQueue;
    readonly limiter: RateLimiter;
  };
  readonly #facts: StoreFacts;
  readonly #versions = newVersions();
  readonly #onError: (error: unknown) => void;

  /** @param sizes of the links */
  constructor(opened: Resources, options: Options, sizes: LinkSizes = {}) {
    const { clock = systemClock, logger = silentLogger } = options;
    const { stores, keyring, apiKeys } = opened;
    const onError = (error: unknown): void => logger.error(originalFields(error), 'stores of threads');
    this.#onError = onError;
    this.#host = openHost(opened, options, { clock, onError, sizes });
    this.#bus = new ProcessBus({ bus: stores.clusterBus, versions: this.#versions, clock, onError });
    const parts = { versions: this.#versions, bus: this.#bus };
    this.#registry = new SharedRegistry({ ...parts, registry: stores.registry, clock }, 0);
    this.#schemas = SharedSchemas.ofMain(stores.schemas, parts);
    this.#bus.onSchemasOfOthers(() => void this.#schemas.changed().catch(onError));
    const emptySince = clock.now();
    const { revocationStore = stores.revocations } = options;
    const revocations = revocationStore === 'auto' ? stores.revocations : revocationStore;
    this.#revocations = new SharedRevocations({ ...parts, store: revocations, emptySince }, 0);
    const passed = {
      ...storesOfProcess(opened, options, { clock, isShared: this.#bus.joinsProcesses }),
      limiter: stores.limiter,
      redemptions: since(options.refreshStore ?? stores.redemptions, emptySince),
      deadLetters: options.dlq ?? stores.deadLetters,
    };
    this.#served = {
      ...passed,
      keyring: new SharedKeyring(keyring.live, parts),
      apiKeys: new SharedApiKeys(apiKeys, parts),
    };
    const { broker, presence, control, bounds, nodeId } = this.#host.backends;
    const mainStores: MeasuredStores = {
      ...stores,
      ...passed,
      registry: this.#registry,
      schemas: this.#schemas,
      revocations: this.#revocations,
      engine: { broker, presence, control, bounds, nodeId },
      clusterBus: this.#bus,
    };
    this.resources = { ...opened, stores: mainStores };
    this.options = {
      ...options,
      ...defined({
        revocationStore: options.revocationStore && 'auto',
        refreshStore: options.refreshStore && passed.redemptions,
      }),
    };
    this.#facts = {
      ...factsOf(opened, mainStores),
      revokes: options.revocationStore !== undefined,
      joinsProcesses: this.#bus.joinsProcesses,
    };
  }

  /**
   * Makes the link of thread `number`, 1 to 32, and serves it.
   * @throws RangeError for another number, and for one that is still attached
   */
  attach(number: number): AttachedStores {
    const attached = this.#host.attach(number);
    const { end } = attached;
    const registry = this.#registry.of(number);
    const served = {
      ...this.#served,
      registry,
      schemas: this.#schemas.of(number),
      revocations: this.#revocations.of(number),
    };
    const thread = new ServedThread(end, served, this.#onError);
    this.#bus.attach(number, end);
    let ended: Promise<void> | undefined;
    const detach = async (): Promise<void> => {
      this.#bus.detach(number);
      await Promise.all([attached.detach(), thread.end()]);
    };
    return {
      link: { ...attached.link, versions: this.#versions.memory, facts: this.#facts },
      transferList: attached.transferList,
      end,
      broken: attached.broken,
      get waitingBytes() {
        return attached.waitingBytes;
      },
      get missedBells() {
        return attached.missedBells;
      },
      dropped: () => attached.dropped(),
      detach: () => (ended ??= detach()),
    };
  }
}

/** The streams of the process: those of the backend, else memory. */
function openHost(
  { stores: { engine = {} }, tracing }: SharedResources,
  options: SharedOptions,
  parts: Pick<ThreadHostOptions, 'clock' | 'onError' | 'sizes'>,
): ThreadHost {
  const nodeId = engine.nodeId ?? options.nodeId;
  const named = { nodeId, below: tracing?.below.bind(tracing), totals: SERVICE_TOTALS };
  return threadHost({ ...engine, ...defined(named), ...parts, errors: STORE_ERRORS });
}

/** What a single node keeps for itself, which the threads of a process share. */
function storesOfProcess(
  resources: SharedResources,
  options: SharedOptions,
  { clock, isShared }: { readonly clock: Clock; readonly isShared: boolean },
) {
  const { redriveJobs, consoleSessions, audit } = resources.stores;
  return {
    redriveJobs: redriveJobs ?? new MemoryJobStore(clock),
    consoleSessions: consoleSessions ?? new MemoryConsoleSessions(clock),
    keyUsage: keyUsageOf(resources, options),
    // Processes without a store for it ask each other for their records, and so do their threads.
    ...defined({ audit: audit ?? (isShared ? undefined : new AuditRing(options.audit?.ring)) }),
  };
}

function factsOf(
  { stores, keyring, apiKeys }: SharedResources,
  { revocations, redemptions, deadLetters, audit, consoleSessions }: MeasuredStores,
): Omit<StoreFacts, 'revokes' | 'joinsProcesses'> {
  const { shared, volatile = false, emptySince = 0 } = revocations;
  const { store } = apiKeys;
  return {
    copyMs: stores.registry.current === undefined ? Number.POSITIVE_INFINITY : COPY_MS,
    revocations: { shared, volatile, emptySince },
    redemptions: { volatile: redemptions.volatile ?? false, emptySince },
    keyring: { backend: keyring.backend, location: keyring.location },
    apiKeys: { location: store?.location ?? '', canChange: store !== undefined },
    deadLetters: ASKED.deadLetters.filter(operation => typeof deadLetters[operation] === 'function'),
    hasAudit: audit !== undefined,
    consoleSessions: { volatile: consoleSessions?.volatile ?? false },
  };
}

/** The same store, which says since when it is empty. */
function since(store: RedemptionStore, emptySince: number): RedemptionStore {
  return {
    volatile: store.volatile ?? false,
    emptySince,
    redeem: (jti, expiresAt) => store.redeem(jti, expiresAt),
    revokeFamily: (fid, until) => store.revokeFamily(fid, until),
    isFamilyRevoked: fid => store.isFamilyRevoked(fid),
  };
}

/** Beside the keyring: in the shared store, in the state directory, or with the process. */
function keyUsageOf({ stores, keyring }: SharedResources, { stateDir = '' }: SharedOptions): KeyUsageStore {
  const { keyUsage } = stores;
  const isInFile = keyring.backend === 'file' && stateDir !== '';
  const store =
    keyUsage !== undefined && keyring.backend === 'redis'
      ? keyUsage
      : isInFile
        ? new FileKeyUsageStore(stateDir)
        : new MemoryKeyUsageStore();
  return {
    isOfProcess: true,
    load: now => store.load(now),
    raise: moments => store.raise(moments),
    forget: kids => store.forget(kids),
  };
}
