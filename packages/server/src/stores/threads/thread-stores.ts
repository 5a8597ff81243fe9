import { type ErrorRow, type LinkEnd, type ThreadLink, threadBackends } from '@msg/engine/threads';
import { defined } from '@msg/foundation/json';
import type { AuditStore } from '../../audit/contract.ts';
import type { RedemptionStore } from '../../auth/tokens/refresh/contract.ts';
import type { KeyUsageStore } from '../../auth/usage/contract.ts';
import type { ConsoleSessionStore } from '../../console/sessions/contract.ts';
import type { JobStore } from '../../notify/dead-letters/jobs/contract.ts';
import type { StoreBackend, StoreContext, Stores } from '../contract.ts';
import { askedStore } from './asking.ts';
import { ASKED } from './calls.ts';
import {
  type ApiKeyFacts,
  type KeyringFacts,
  ThreadApiKeyStore,
  ThreadKeyringStore,
  ThreadSchemaStore,
} from './copied-stores.ts';
import { STORE_ERRORS } from './errors.ts';
import { HotQuestions } from './hot-records.ts';
import { ThreadBus } from './thread-bus.ts';
import { threadDeadLetters } from './thread-dead-letters.ts';
import { ThreadRegistry } from './thread-registry.ts';
import { type RevocationFacts, ThreadRevocations } from './thread-revocations.ts';
import { versionsOf } from './versions.ts';

/** What a thread knows of main's stores without asking. */
export interface StoreFacts {
  /** Milliseconds for which a copy of a channel's record serves. */
  readonly copyMs: number;
  readonly revocations: RevocationFacts;
  readonly redemptions: Pick<RedemptionStore, 'volatile' | 'emptySince'>;
  readonly keyring: KeyringFacts;
  readonly apiKeys: ApiKeyFacts;
  /** Operations of the queue of dead letters. */
  readonly deadLetters: readonly string[];
  /** Main keeps the records of audited calls. */
  readonly hasAudit: boolean;
  readonly consoleSessions: Pick<ConsoleSessionStore, 'volatile'>;
  /** Other processes share the stores. */
  readonly joinsProcesses: boolean;
  /** Tokens can be revoked. */
  readonly revokes: boolean;
}

/** What a thread is given: a value for `workerData` without credentials and functions. */
export interface StoresLink extends ThreadLink {
  readonly versions: SharedArrayBuffer;
  readonly facts: StoreFacts;
}

/** Options of {@link threadStores}. */
export interface ThreadStoresOptions {
  /** The two ends of the link disagree; default: the thread ends. */
  readonly onBroken?: (error: Error) => void;
  /** Told of an error that main does not get; default: the logger of the service. */
  readonly onError?: (error: unknown) => void;
  /** More errors that cross as what they are: those that main was given. */
  readonly errors?: readonly ErrorRow[];
  /** Called with this end of the link when the stores are opened. */
  readonly onLinked?: (end: LinkEnd) => void;
  /** The span of the current work (W3C Trace Context), which main continues; absent: tracing is off. */
  readonly trace?: (() => string | undefined) | undefined;
}

/** The stores of a thread's service: everything is on main, and so are the streams (threads 1). */
export function threadStores(link: StoresLink, options: ThreadStoresOptions = {}): StoreBackend {
  return { open: async context => openStores(link, options, context) };
}

function openStores(
  { versions: memory, facts, ...thread }: StoresLink,
  { onBroken = () => process.exit(1), errors = [], onLinked, trace, ...options }: ThreadStoresOptions,
  { clock, logger }: StoreContext,
): Stores {
  const {
    onError = error => logger.error({ error: String(error) }, 'a message of main was not carried out'),
  } = options;
  const rows = [...STORE_ERRORS, ...errors];
  const {
    backends,
    end: link,
    close,
  } = threadBackends(thread, {
    clock,
    errors: rows,
    onError,
    onBroken,
    ...defined({ trace }),
  });
  onLinked?.(link);
  const versions = versionsOf(memory);
  const hot = new HotQuestions(link);
  const registry = new ThreadRegistry({ link, hot, versions, clock, copyMs: facts.copyMs });
  const keyring = new ThreadKeyringStore(link, versions, facts.keyring);
  const schemas = new ThreadSchemaStore(link, versions);
  const { joinsProcesses } = facts;
  return {
    registry,
    keyring,
    schemas,
    limiter: hot,
    redemptions: {
      ...askedStore<RedemptionStore, (typeof ASKED.redemptions)[number]>(
        link,
        'redemptions',
        ASKED.redemptions,
      ),
      ...facts.redemptions,
    },
    revocations: new ThreadRevocations({ link, hot, versions }, facts.revocations),
    deadLetters: threadDeadLetters(link, facts.deadLetters),
    redriveJobs: askedStore<JobStore, keyof JobStore>(link, 'redriveJobs', ASKED.redriveJobs),
    apiKeys: new ThreadApiKeyStore(link, versions, facts.apiKeys),
    ...defined({
      audit: facts.hasAudit
        ? askedStore<AuditStore, keyof AuditStore>(link, 'audit', ASKED.audit)
        : undefined,
    }),
    keyUsage: {
      ...askedStore<KeyUsageStore, (typeof ASKED.keyUsage)[number]>(link, 'keyUsage', ASKED.keyUsage),
      isOfProcess: true,
    },
    consoleSessions: {
      ...askedStore<ConsoleSessionStore, (typeof ASKED.consoleSessions)[number]>(
        link,
        'consoleSessions',
        ASKED.consoleSessions,
      ),
      ...facts.consoleSessions,
    },
    clusterBus: new ThreadBus({ link, registry, keyring, schemas, joinsProcesses }),
    engine: backends,
    close() {
      registry.stop();
      close();
    },
  };
}
