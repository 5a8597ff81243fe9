import { systemClock } from '@msg/foundation/clock';
import type { ApiKeys } from '#src/auth/api-keys/api-keys.ts';
import { digestOf } from '#src/auth/api-keys/secret.ts';
import type { Keyring } from '#src/auth/keys/keyring.ts';
import { KeyringWatcher } from '#src/auth/keys/watcher.ts';
import { InvalidTokenError } from '#src/auth/tokens/invalid-token.ts';
import { currentRecord } from '#src/channels/registry/uses.ts';
import { SchemaRegistry } from '#src/schemas/registry.ts';
import type { ClusterEvents, Stores } from '#src/stores/contract.ts';

const HOUR = 3_600_000;

/** What a service of main or of a thread has. */
export interface TruthParts {
  readonly stores: Stores;
  readonly keyring: Keyring;
  readonly apiKeys: ApiKeys;
}

/** What a test asks of a thread; answers can be cloned. */
export interface TruthOperations {
  open(name: string): Promise<void>;
  close(name: string): Promise<void>;
  delete(name: string): Promise<void>;
  stateOf(name: string): Promise<string | undefined>;
  revoke(jti: string): Promise<void>;
  isRevoked(jti: string): Promise<boolean>;
  generate(): Promise<string>;
  promote(kid: string): Promise<void>;
  retire(kid: string): Promise<void>;
  /** The key that signs, and whether this key verifies. */
  keys(kid: string): Promise<{ readonly active: string; readonly isKnown: boolean }>;
  saveSchema(pattern: string): Promise<number>;
  versionOf(pattern: string): Promise<number>;
  saveApiKey(name: string, text: string): Promise<void>;
  removeApiKey(name: string): Promise<void>;
  accepts(text: string): Promise<boolean>;
  redeem(jti: string): Promise<boolean>;
  take(subject: string): Promise<boolean>;
}

/** The parts of a service that look at what all threads share. */
export async function truthNode({ stores, keyring, apiKeys }: TruthParts): Promise<TruthOperations> {
  const { registry, revocations, redemptions, limiter, clusterBus } = stores;
  const schemas = new SchemaRegistry(stores.schemas, systemClock);
  await schemas.refresh();
  const watcher = new KeyringWatcher(keyring, systemClock, 0, { onReloaded() {}, onFailed() {} });
  const events: ClusterEvents = {
    onChannelChanged() {},
    onKeyringChanged: () => watcher.poll(),
    onSchemasChanged: () => schemas.refresh(),
    onApiKeysChanged: () => apiKeys.refresh(),
    onReconnected() {},
  };
  await clusterBus?.start(events);
  const revisionOf = (name: string) => apiKeys.stored.find(key => key.name === name)?.revision;
  return {
    open: async name => void (await registry.openPublic(name, HOUR)),
    close: async name => void (await registry.close(name)),
    delete: async name => void (await registry.delete(name)),
    stateOf: async name => (await currentRecord(registry, name))?.state,
    revoke: jti => revocations.revokeToken(jti, '', HOUR),
    isRevoked: async jti => (await revocations.lookup(jti, '')).tokenRevoked,
    generate: async () => (await keyring.generate()).id,
    promote: kid => keyring.promote(kid),
    retire: kid => keyring.retire(kid),
    async keys(kid) {
      keyring.live.requireCurrent();
      return { active: keyring.active.id, isKnown: keyring.keySet.resolve(kid) !== undefined };
    },
    async saveSchema(pattern) {
      const isNew = schemas.snapshot().patterns.every(one => one.pattern !== pattern);
      const next = { pattern, version: 0, aspects: {} };
      const saved = isNew ? await schemas.register(next) : (await schemas.update(next)).schema;
      return saved.version;
    },
    versionOf: async pattern => schemas.get(pattern).version,
    async saveApiKey(name, text) {
      const secrets = [{ id: '', sha256: digestOf(text) }];
      const key = { name, role: 'admin', grants: [], secrets, createdAtMs: 1, revision: text } as const;
      await apiKeys.store?.replace(name, revisionOf(name), key);
      await apiKeys.refresh();
    },
    async removeApiKey(name) {
      await apiKeys.store?.replace(name, revisionOf(name), undefined);
      await apiKeys.refresh();
    },
    accepts: async text => !(apiKeys.check(text) instanceof InvalidTokenError),
    redeem: jti => redemptions.redeem(jti, systemClock.now() + HOUR),
    async take(subject) {
      const limits = [{ rate: 100, perMs: HOUR, burst: 0 }];
      return (await limiter.take('publish', subject, limits, 1)).accepted === 1;
    },
  };
}
