import { connectSharedStore } from '../../../../stores/redis/connect.ts';
import type { RedisOptions } from '../../../../stores/redis/options.ts';
import type { KeyringStore } from '../contract.ts';
import { RedisKeyringStore } from './store.ts';

/**
 * Works on the keyring of a shared store without a server.
 * @throws MsgError MSG_INVALID_ARGUMENT for a bad address, MSG_INTERNAL for a store that does not answer.
 */
export async function withSharedKeyring<T>(
  options: RedisOptions,
  work: (store: KeyringStore) => Promise<T>,
): Promise<T> {
  const connection = await connectSharedStore(options);
  try {
    return await work(new RedisKeyringStore(connection.store));
  } finally {
    await connection.close();
  }
}
