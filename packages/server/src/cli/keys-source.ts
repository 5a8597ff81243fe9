import { defaultFlag, type Setting, type SettingSources } from '@msg/command-line';
import { resolve } from '@msg/command-line/internal';
import { MsgError } from '@msg/core';
import { REDIS_ADDRESS } from '../config/redis-settings.ts';

/** A setting of the command line only: a server's environment must not choose the exported keyring. */
function flagOnly<T>(setting: Setting<T>, help: string): Setting<T> {
  const { env: _unread, ...rest } = setting;
  return { ...rest, help };
}

/** Location of the keyring for the offline key commands; flags only, never the environment (messaging details 7.4). */
export const KEYRING_SOURCE = {
  stateDir: defaultFlag('--state-dir', 'text', '', 'directory of keyring.json, or the file itself'),
  redisAddr: flagOnly(REDIS_ADDRESS.redisAddr, 'the shared store, instead of a directory'),
  redisKeyPrefix: flagOnly(REDIS_ADDRESS.redisKeyPrefix, 'begin of the keys in the shared store'),
} as const;

/** A directory, or the file itself; or a shared store. */
export type KeyringSource =
  | { readonly path: string }
  | { readonly redis: { readonly address: string; readonly keyPrefix: string } };

/** @throws MsgError MSG_INVALID_ARGUMENT unless exactly one source is given. */
export function keyringSource(sources: SettingSources): KeyringSource {
  const path = resolve(KEYRING_SOURCE.stateDir, sources);
  const address = resolve(KEYRING_SOURCE.redisAddr, sources);
  if (path !== '' && address !== '') {
    throw new MsgError('MSG_INVALID_ARGUMENT', 'give one keyring source, --state-dir or --redis-addr', {
      situation: { name: 'twoSources' },
    });
  }
  if (path !== '') return { path };
  if (address !== '')
    return { redis: { address, keyPrefix: resolve(KEYRING_SOURCE.redisKeyPrefix, sources) } };
  throw new MsgError('MSG_INVALID_ARGUMENT', 'a keyring source is missing: --state-dir or --redis-addr');
}
