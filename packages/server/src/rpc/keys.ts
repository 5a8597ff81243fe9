import { MsgError } from '@msg/core';
import type { ApiKeys } from '../auth/api-keys/api-keys.ts';
import type { Keyring } from '../auth/keys/keyring.ts';
import type { RpcHandlers } from './call.ts';

type KeyMethods = 'ListKeys' | 'GenerateKey' | 'PromoteKey' | 'RetireKey' | 'ReloadKeys';

function required(id: string): string {
  if (id === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'id is required');
  return id;
}

export interface KeyHandlerParts {
  readonly keyring: Keyring;
  readonly apiKeys: Pick<ApiKeys, 'reload'>;
}

/** Handlers of the key group. */
export function keyHandlers({ keyring, apiKeys }: KeyHandlerParts): Pick<RpcHandlers, KeyMethods> {
  return {
    ListKeys: () => ({ active_key_id: keyring.active.id, keys: keyring.list() }),
    GenerateKey: ({ alg }) => keyring.generate(alg === '' ? undefined : alg),
    async PromoteKey({ id }) {
      await keyring.promote(required(id));
      return {};
    },
    async RetireKey({ id }) {
      await keyring.retire(required(id));
      return {};
    },
    async ReloadKeys() {
      await Promise.all([keyring.reload(), apiKeys.reload()]);
      return {};
    },
  };
}
