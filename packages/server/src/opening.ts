import { systemClock, systemRandom } from '@msg/engine';
import type { OidcBridge, OidcBridgeOptions } from './access/oidc/bridge.ts';
import type { OidcOptions } from './access/oidc/options.ts';
import { VERSION } from './config/version.ts';
import { Keyring } from './keys/keyring.ts';
import { keyringPlace } from './keys/place.ts';
import { silentLogger } from './observability/logger.ts';
import type { Tracing } from './observability/tracing/contract.ts';
import type { MsgOptions } from './options.ts';
import { memoryStores, type SharedLink, type Stores } from './stores/stores.ts';

/** What a service needs opened before it can be built. */
export interface Opened {
  readonly keyring: Keyring;
  readonly stores: Stores;
  readonly oidc: OidcBridge | undefined;
  readonly tracing: Tracing | undefined;
}

/**
 * Finds the identity provider, connects the shared store and loads the keyring, or creates it where there is none.
 * What was opened before a failure is closed again.
 * @throws MsgError MSG_INVALID_ARGUMENT for bad options and a provider that does not answer, MSG_BROKER_INTERNAL for
 * a shared store that does not; KeyringFormatError for a keyring that cannot be read.
 */
export async function open(options: MsgOptions): Promise<Opened> {
  const { clock = systemClock, random = systemRandom, logger = silentLogger } = options;
  const oidc = options.oidc === undefined ? undefined : await openBridge(options.oidc, { clock, logger });
  const tracing = options.otlpEndpoint ? await openTracing(options, options.otlpEndpoint) : undefined;
  let stores: Stores | undefined;
  try {
    stores = options.redis === undefined ? memoryStores(clock, random) : await openShared(options, tracing);
    const { keyring: shared } = stores;
    const place = await keyringPlace({ ...options, ...(shared === undefined ? {} : { shared }) });
    return { keyring: await Keyring.open({ clock, random, ...place }), stores, oidc, tracing };
  } catch (error) {
    await release({ link: stores?.link, tracing });
    throw error;
  }
}

/** Lets go of what {@link open} holds open: the shared store is disconnected, the last spans leave. */
export async function release(held: {
  readonly link?: SharedLink | undefined;
  readonly tracing?: Tracing | undefined;
}): Promise<void> {
  await held.link?.close();
  await held.tracing?.stop();
}

/** Loads the bridge, and the library behind it, only where one is configured. */
async function openBridge(options: OidcOptions, parts: OidcBridgeOptions): Promise<OidcBridge> {
  const { OidcBridge } = await import('./access/oidc/bridge.ts');
  return OidcBridge.open(options, parts);
}

/** Loads the shared backends, and the library behind them, only where a store is configured. */
async function openShared(options: MsgOptions, tracing: Tracing | undefined): Promise<Stores> {
  const { openSharedStores } = await import('./stores/shared.ts');
  return openSharedStores(options, tracing);
}

/** Loads tracing, and the libraries behind it, only where a collector is configured. */
async function openTracing(options: MsgOptions, endpoint: string): Promise<Tracing> {
  const { OtlpTracing } = await import('./observability/tracing/otlp.ts');
  const { version = VERSION, region = '', logger = silentLogger } = options;
  return new OtlpTracing({ endpoint, version, region, logger });
}
