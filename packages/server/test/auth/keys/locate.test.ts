import { describe, expect, it } from 'vitest';
import { locateKeyring } from '#src/auth/keys/locate.ts';
import type { KeyringStore } from '#src/auth/keys/store/contract.ts';

const store = { location: 'somewhere' } as KeyringStore;

describe('several places for one keyring', () => {
  it.each([
    ['redis', { shared: store, stateDir: '/state' }, 'redis', ['stateDir']],
    ['stores', { shared: store, stateDir: '/state' }, 'stores', ['stateDir']],
    ['stores', { shared: store, keyringStore: store }, 'keyringStore', ['stores']],
  ] as const)('the warning names the option %s', async (sharedBy, options, used, ignored) => {
    const warnings: object[] = [];
    const logger = { debug() {}, info() {}, warn: (fields: object) => warnings.push(fields), error() {} };
    expect(await locateKeyring({ ...options, sharedBy, logger })).toEqual({ store });
    expect(warnings).toEqual([{ used, ignored }]);
  });
});
