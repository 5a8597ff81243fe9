import type { ContractCase } from '@msg/engine/testing';
import type { ManualClock } from '@msg/foundation/clock/testing';
import type { Stores } from '#src/stores/contract.ts';
import {
  API_KEY_STORE_CONTRACT,
  AUDIT_STORE_CONTRACT,
  CHANNEL_REGISTRY_CONTRACT,
  CLUSTER_BUS_CONTRACT,
  CONSOLE_SESSION_CONTRACT,
  DEAD_LETTER_CONTRACT,
  KEYRING_STORE_CONTRACT,
  RATE_LIMITER_CONTRACT,
  REDEMPTION_CONTRACT,
  REVOCATION_CONTRACT,
  SCHEMA_STORE_CONTRACT,
} from '#src/testing/index.ts';

/** Letters that the queue of main keeps for a sink. */
export const LETTERS = 60;

/** What a case gets: the stores of two threads, and the clock of the process. */
interface CaseParts {
  readonly here: Stores;
  readonly there: Stores;
  readonly clock: ManualClock;
  readonly eventually: (what: string, holds: () => boolean) => Promise<void>;
}

/** A contract, and how its subject is made of the stores of threads. */
export interface StoreCases {
  readonly what: string;
  readonly contract: readonly ContractCase<unknown>[];
  readonly subject: (parts: CaseParts) => unknown;
}

function cases<Subject>(
  what: string,
  contract: readonly ContractCase<Subject>[],
  subject: (parts: CaseParts) => Subject,
): StoreCases {
  return { what, contract: contract as readonly ContractCase<unknown>[], subject };
}

/** A store that the backend has. */
function has<T>(store: T | undefined): T {
  if (store === undefined) throw new Error('the backend has not this store');
  return store;
}

/** The contracts of all stores of a service. */
export const STORE_CASES: readonly StoreCases[] = [
  cases('registry', CHANNEL_REGISTRY_CONTRACT, ({ here, clock }) => ({ store: here.registry, clock })),
  cases('limiter', RATE_LIMITER_CONTRACT, ({ here, clock }) => ({ store: here.limiter, clock })),
  cases('redemptions', REDEMPTION_CONTRACT, ({ here, clock }) => ({ store: here.redemptions, clock })),
  cases('revocations', REVOCATION_CONTRACT, ({ here, clock }) => ({ store: here.revocations, clock })),
  cases(
    'schemas',
    SCHEMA_STORE_CONTRACT,
    both(stores => stores.schemas),
  ),
  cases(
    'keyring',
    KEYRING_STORE_CONTRACT,
    both(stores => has(stores.keyring)),
  ),
  cases(
    'audit',
    AUDIT_STORE_CONTRACT,
    both(stores => has(stores.audit)),
  ),
  cases(
    'API keys',
    API_KEY_STORE_CONTRACT,
    both(stores => has(stores.apiKeys)),
  ),
  cases('console sessions', CONSOLE_SESSION_CONTRACT, parts => ({
    ...both(stores => has(stores.consoleSessions))(parts),
    now: () => parts.clock.now(),
  })),
  cases('dead letters', DEAD_LETTER_CONTRACT, ({ here, there }) => ({
    queue: here.deadLetters,
    otherNode: there.deadLetters,
    capacity: LETTERS,
    slack: 0,
  })),
  cases('bus', CLUSTER_BUS_CONTRACT, ({ here, there, eventually }) => ({ here, there, eventually })),
];

/** The same store of two threads. */
function both<Store>(of: (stores: Stores) => Store) {
  return ({ here, there }: CaseParts) => ({ here: of(here), there: of(there) });
}
