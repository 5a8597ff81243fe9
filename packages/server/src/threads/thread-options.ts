import { MsgError } from '@msg/core';
import { defined } from '@msg/foundation/json';
import type { MsgOptions } from '../service/options.ts';
import type { Stores } from '../stores/contract.ts';

/** Options that a thread is given as they are: plain data without credentials of stores and destinations. */
const GIVEN = [
  'accessTokenTtlMs',
  'maxRefreshTokenTtlMs',
  'maxSessionTtlMs',
  'channels',
  'channelOptions',
  'publicHistorySize',
  'privateHistorySize',
  'publicHistoryTtlMs',
  'privateHistoryTtlMs',
  'sinkRetry',
  'schemaValidation',
  'limits',
  'ping',
  'accessLog',
  'openApi',
  'rateLimits',
  'allowedOrigins',
  'allowedHosts',
  'trustedProxies',
  'metricsToken',
  'clientScript',
  'api',
  'basePath',
  'routes',
  'drainWindowMs',
  'tokens',
  'viewerPayloads',
  'audit',
  'console',
  'otlpEndpoint',
  'strictRequests',
  'noAuth',
  'configSource',
  'settings',
  'region',
  'peers',
  'version',
] as const satisfies readonly (keyof MsgOptions)[];

/** Options of main alone: what they are for happens there, and threads ask it. */
type MainOption =
  | 'threads'
  | 'keySet'
  | 'keyringStore'
  | 'stateDir'
  | 'redis'
  | 'stores'
  | 'nodeId'
  | 'sinks'
  | 'sinkKinds'
  | 'onRecipientGone'
  | 'schemasFile'
  | 'outbox'
  | 'dlq'
  | 'revocationStore'
  | 'refreshStore'
  | 'apiKeys'
  | 'rereadApiKeys'
  | 'keyringPollMs'
  | 'webtransport'
  | 'processMetrics'
  | 'clientRpc'
  | 'apiRpc'
  | 'sweepIntervalMs'
  | 'rebalanceWindowMs'
  | 'authorizer'
  | 'oidc'
  | 'configFile'
  | 'logger'
  | 'clock'
  | 'random';

/** The options of threads; every option has one of the two places. */
export type ThreadOptions = Pick<MsgOptions, (typeof GIVEN)[number]> &
  // An option that has none does not compile here.
  Record<Exclude<keyof MsgOptions, (typeof GIVEN)[number] | MainOption>, never>;

/** The options of a service that its threads are given; main keeps the console's client at the identity provider. */
export function threadOptions(options: MsgOptions): ThreadOptions {
  const entries = GIVEN.filter(name => options[name] !== undefined).map(name => [name, options[name]]);
  const { oidc: _, ...console } = options.console ?? {};
  return { ...Object.fromEntries(entries), ...defined({ console: options.console && console }) };
}

/** @throws MsgError MSG_INVALID_ARGUMENT for stores that join several processes and not their threads */
export function requireReach({ clusterBus, engine }: Pick<Stores, 'clusterBus' | 'engine'>): void {
  if (clusterBus === undefined || engine?.control?.reachesThreads === true) return;
  throw notSpreadable('stores.clusterBus', 'engine.control of these stores does not reach threads');
}

/**
 * Refuses options that several threads cannot serve.
 * @throws MsgError MSG_INVALID_ARGUMENT naming the option
 */
export function requireSpreadable(options: MsgOptions): void {
  const unable: readonly (readonly [name: string, isSet: boolean, why: string])[] = [
    ['clock', options.clock !== undefined, 'threads have the clock of the system: two clocks would disagree'],
    ['random', options.random !== undefined, 'threads have the random source of the system'],
  ];
  const refused = unable.find(([, isSet]) => isSet);
  if (refused === undefined) return;
  const [name, , why] = refused;
  throw notSpreadable(name, why);
}

function notSpreadable(name: string, why: string): MsgError {
  return new MsgError(
    'MSG_INVALID_ARGUMENT',
    `${name}: not with more than one thread: ${why}; set threads to 1`,
  );
}
