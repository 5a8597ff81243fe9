import type { ContractCase } from '@msg/engine/testing';
import { ManualClock } from '@msg/foundation/clock/testing';
import { describe, it } from 'vitest';
import {
  API_KEY_STORE_CONTRACT,
  AUDIT_STORE_CONTRACT,
  CHANNEL_REGISTRY_CONTRACT,
  KEYRING_STORE_CONTRACT,
  RATE_LIMITER_CONTRACT,
  REDEMPTION_CONTRACT,
  REVOCATION_CONTRACT,
  SCHEMA_STORE_CONTRACT,
  type SharedSubject,
  type TimedSubject,
} from '#src/testing/index.ts';

/** Runs a contract whose stores depend on time; `create` makes an empty store on the clock. */
function timed<Store>(what: string, contract: readonly ContractCase<TimedSubject<Store>>[]) {
  return (title: string, create: (clock: ManualClock) => Promise<Store>): void => {
    describe(`${what}: ${title}`, () => {
      it.each(contract.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
        const clock = new ManualClock();
        await holds({ store: await create(clock), clock });
      });
    });
  };
}

/** Runs a contract of stores that several nodes share; `create` makes two views on one empty store. */
function shared<Store>(what: string, contract: readonly ContractCase<SharedSubject<Store>>[]) {
  return (title: string, create: () => Promise<readonly [Store, Store]>): void => {
    describe(`${what}: ${title}`, () => {
      it.each(contract.map(({ name, holds }) => [name, holds] as const))('%s', async (_, holds) => {
        const [here, there] = await create();
        await holds({ here, there });
      });
    });
  };
}

export const channelRegistryContract = timed('channel registry', CHANNEL_REGISTRY_CONTRACT);
export const rateLimiterContract = timed('rate limiter', RATE_LIMITER_CONTRACT);
export const redemptionStoreContract = timed('redemption store', REDEMPTION_CONTRACT);
export const revocationStoreContract = timed('revocation store', REVOCATION_CONTRACT);
export const schemaStoreContract = shared('schema store', SCHEMA_STORE_CONTRACT);
export const keyringStoreContract = shared('keyring store', KEYRING_STORE_CONTRACT);
export const auditStoreContract = shared('audit store', AUDIT_STORE_CONTRACT);
export const apiKeyStoreContract = shared('api key store', API_KEY_STORE_CONTRACT);
