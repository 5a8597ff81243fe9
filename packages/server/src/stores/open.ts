import { MsgError } from '@msg/core';
import { isRecord } from '@msg/foundation/json';
import type { StoreBackend, StoreContext, Stores } from './contract.ts';

/** The methods that each member of a backend's answer must have. */
const REQUIRED: Readonly<Record<string, readonly string[]>> = {
  registry: [
    'openPublic',
    'createPrivate',
    'get',
    'getAll',
    'peek',
    'list',
    'touch',
    'close',
    'delete',
    'announce',
    'forget',
    'sweep',
  ],
  limiter: ['take'],
  redemptions: ['redeem', 'revokeFamily', 'isFamilyRevoked'],
  revocations: ['revokeToken', 'revokeUser', 'lookup'],
  deadLetters: ['push', 'list', 'sizes', 'discard', 'claim'],
  schemas: ['load', 'probe', 'step', 'replaceAll'],
};

/** Members that may be absent. */
const OPTIONAL: typeof REQUIRED = {
  keyring: ['load', 'probe', 'save'],
  apiKeys: ['load', 'replace'],
  audit: ['append', 'list'],
  redriveJobs: ['begin', 'hold', 'save', 'release', 'take', 'requestStop', 'list'],
  keyUsage: ['load', 'raise', 'forget'],
  consoleSessions: [
    ...['create', 'get', 'change', 'count', 'countByKey', 'ofSubject', 'keepLogin', 'takeLogin'],
  ],
  clusterBus: ['start', 'close'],
  engine: [],
};

function invalid(problem: string): MsgError {
  return new MsgError('MSG_INVALID_ARGUMENT', `stores${problem}`);
}

function display(value: unknown): string {
  return value === null || typeof value !== 'object' ? String(value) : 'an object without it';
}

/** @throws MsgError MSG_INVALID_ARGUMENT naming the member. */
function checkMember(name: string, methods: readonly string[], member: unknown): void {
  if (typeof member !== 'object' || member === null)
    throw invalid(`.${name} must be an object; got ${display(member)}`);
  const missing = methods.find(method => typeof Reflect.get(member, method) !== 'function');
  if (missing !== undefined) throw invalid(`.${name}.${missing} must be a function`);
}

function checkStores(stores: unknown): void {
  if (!isRecord(stores)) throw invalid(`.open must answer the stores; got ${display(stores)}`);
  for (const [name, methods] of Object.entries(REQUIRED)) {
    if (stores[name] === undefined) throw invalid(`.${name} is required`);
    checkMember(name, methods, stores[name]);
  }
  for (const [name, methods] of Object.entries(OPTIONAL)) {
    if (stores[name] !== undefined) checkMember(name, methods, stores[name]);
  }
  if (stores['close'] !== undefined && typeof stores['close'] !== 'function')
    throw invalid('.close must be a function');
}

/**
 * Opens a backend and checks its stores, so that wrong ones fail here and not at the first call. Refused stores are
 * closed again.
 * @throws MsgError MSG_INVALID_ARGUMENT with the missing or wrong member; MSG_BROKER_INTERNAL when the backend rejects
 * without a code
 */
export async function openStores(backend: StoreBackend, context: StoreContext): Promise<Stores> {
  if (typeof backend?.open !== 'function') throw invalid('.open must be a function');
  let stores: Stores;
  try {
    stores = await backend.open(context);
  } catch (cause) {
    if (cause instanceof MsgError) throw cause;
    const problem = cause instanceof Error ? cause.message : String(cause);
    throw new MsgError('MSG_BROKER_INTERNAL', `stores.open failed: ${problem}`, { cause });
  }
  try {
    checkStores(stores);
    return stores;
  } catch (error) {
    // The answer may have any shape: only functions are called, and the first error is reported.
    if (isRecord(stores)) await closeStores(stores).catch(() => {});
    throw error;
  }
}

/** Closes what a backend opened: first the bus, then the stores. */
export async function closeStores(stores: Partial<Stores>): Promise<void> {
  try {
    await stores.clusterBus?.close?.();
  } finally {
    await stores.close?.();
  }
}
