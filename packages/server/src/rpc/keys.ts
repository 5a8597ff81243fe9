import { MsgError } from '@msg/core';
import type { Keyring } from '../auth/keys/keyring.ts';
import type { RpcHandlers } from './call.ts';

type KeyMethods = 'ListKeys' | 'GenerateKey' | 'PromoteKey' | 'RetireKey' | 'ReloadKeys';

function required(id: string): string {
  if (id === '') throw new MsgError('MSG_INVALID_ARGUMENT', 'id is required');
  return id;
}

/** Handlers of the key group. */
export function keyHandlers(keyring: Keyring): Pick<RpcHandlers, KeyMethods> {
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
      await keyring.reload();
      return {};
    },
  };
}
