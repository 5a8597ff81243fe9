import { MsgError } from '@msg/core';
import { assertClock, type Clock, systemClock, systemRandom } from '@msg/foundation/clock';
import { defined } from '@msg/foundation/json';
import type { OidcBridge, OidcBridgeOptions } from '../auth/access/oidc/bridge.ts';
import type { CodeLogin } from '../auth/access/oidc/code-login.ts';
import type { OidcOptions } from '../auth/access/oidc/options.ts';
import { ApiKeys } from '../auth/api-keys/api-keys.ts';
import { FileApiKeyStore } from '../auth/api-keys/store/file.ts';
import { Keyring } from '../auth/keys/keyring.ts';
import { locateKeyring } from '../auth/keys/locate.ts';
import { makeStateDirectory } from '../config/directory.ts';
import { VERSION } from '../config/version.ts';
import { consoleSettings } from '../console/options.ts';
import { silentLogger } from '../observability/logger.ts';
import type { Tracing } from '../observability/tracing/contract.ts';
import { loadTracing } from '../observability/tracing/load.ts';
import type { MeasuredStores, StoreBackend, Stores } from '../stores/contract.ts';
import { memoryStores } from '../stores/memory.ts';
import { closeStores, openStores } from '../stores/open.ts';
import type { MsgOptions } from './options.ts';

/** The resources that open before a service is made. */
export interface Resources {
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
  readonly stores: MeasuredStores;
  readonly oidc: OidcBridge | undefined;
  readonly consoleLogin: CodeLogin | undefined;
  readonly tracing: Tracing | undefined;
  /** The session thread that these are for; absent: main. */
  readonly thread?: ThreadPlace;
}

/** One of the session threads of a process. */
export interface ThreadPlace {
  readonly number: number;
  /** How many there are. */
  readonly of: number;
}

/**
 * Discovers the identity provider, connects the shared store, reads the API keys and loads the keyring, or creates it on
 * the first start. After a failure everything that was opened is closed.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options and a provider that does not answer, MSG_BROKER_INTERNAL for a
 * shared store that does not; MSG_INVALID_ARGUMENT for a state directory or a file in it that cannot be used
 * (KeyringFormatError for a keyring).
 * @param thread that these are for; absent: main
 */
export async function acquireResources(options: MsgOptions, thread?: ThreadPlace): Promise<Resources> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  checkClock(clock);
  const oidc = options.oidc === undefined ? undefined : await openBridge(options.oidc, { clock, logger });
  const consoleLogin = await openLogin(options, oidc, clock);
  const tracing = options.otlpEndpoint
    ? await openTracing(options, options.otlpEndpoint, thread?.number)
    : undefined;
  let stores: MeasuredStores | undefined;
  try {
    const sinkNames = (options.sinks ?? []).map(({ name }) => name);
    const context = { clock, random, logger, sinkNames, ...defined({ nodeId: options.nodeId }) };
    stores = await openStores(await backendOf(options, tracing), context);
    const { keyring: shared, apiKeys: sharedKeys } = stores;
    const { apiKeys: declared = [], rereadApiKeys: reread, stateDir = '' } = options;
    const store = sharedKeys ?? (stateDir === '' ? undefined : new FileApiKeyStore(stateDir));
    const apiKeys = await ApiKeys.open({ declared, clock, logger, ...defined({ store, reread }) });
    const sharedBy = options.stores === undefined ? 'redis' : 'stores';
    const place = await locateKeyring({ ...options, ...defined({ shared }), sharedBy });
    return {
      keyring: await Keyring.open({ clock, random, ...place }),
      apiKeys,
      stores,
      oidc,
      consoleLogin,
      tracing,
      ...defined({ thread }),
    };
  } catch (error) {
    await disposeResources({ stores, tracing });
    throw error;
  }
}

function checkClock(clock: Clock): void {
  try {
    assertClock(clock);
  } catch (cause) {
    throw new MsgError('MSG_INVALID_ARGUMENT', cause instanceof Error ? cause.message : 'unusable clock', {
      cause,
    });
  }
}

/** Closes what {@link acquireResources} opened: the stores; flushes the last spans. */
export async function disposeResources(held: {
  readonly stores?: Stores | undefined;
  readonly tracing?: Tracing | undefined;
}): Promise<void> {
  try {
    if (held.stores !== undefined) await closeStores(held.stores);
  } finally {
    await held.tracing?.stop();
  }
}

/**
 * The backend of the options. The Redis backend is loaded only if it is configured.
 * @throws MsgError MSG_INVALID_ARGUMENT for two backends
 */
async function backendOf(options: MsgOptions, tracing: Tracing | undefined): Promise<StoreBackend> {
  const { stores, redis, stateDir = '' } = options;
  if (stores !== undefined && redis !== undefined)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'stores is not allowed with redis: both keep everything');
  if (stores !== undefined) return stores;
  if (redis === undefined) {
    if (stateDir !== '') await makeStateDirectory(stateDir);
    return memoryStores(stateDir);
  }
  const { redisStores } = await import('../stores/redis-stores.ts');
  return redisStores(redis, tracing);
}

/** Loads the bridge and its library, only if it is configured. */
async function openBridge(options: OidcOptions, parts: OidcBridgeOptions): Promise<OidcBridge> {
  const { OidcBridge } = await import('../auth/access/oidc/bridge.ts');
  return OidcBridge.open(options, parts);
}

/** Loads the sign-in at the identity provider and its library, only if the console has a client there. */
async function openLogin(
  { console, oidc: provider }: MsgOptions,
  bridge: OidcBridge | undefined,
  clock: Clock,
): Promise<CodeLogin | undefined> {
  const settings = consoleSettings(console);
  if (settings?.oidc === undefined || settings.origin === undefined) return undefined;
  if (bridge === undefined || provider === undefined)
    throw new MsgError('MSG_INVALID_ARGUMENT', 'console.oidc.client_id: needs auth.oidc.issuer');
  const { CodeLogin } = await import('../auth/access/oidc/code-login.ts');
  const { fetch = globalThis.fetch } = provider;
  return CodeLogin.open({ bridge, client: settings.oidc, origin: settings.origin, fetch, clock });
}

/** Loads tracing and its libraries, only if a collector is configured. */
async function openTracing(options: MsgOptions, endpoint: string, thread?: number): Promise<Tracing> {
  const OtlpTracing = await loadTracing();
  const { version = VERSION, region = '', logger = silentLogger, clock = systemClock } = options;
  return new OtlpTracing({ endpoint, version, region, logger, clock, ...defined({ thread }) });
}
