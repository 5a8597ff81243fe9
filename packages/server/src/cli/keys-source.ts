import { MsgError } from '@msg/core';
import { type Setting, type SettingSources, settle } from '../config/setting.ts';
import { text } from '../config/setting-types.ts';

/** Where the offline key commands find the keyring; flags only, never the environment (messaging details 7.4). */
export const KEYRING_SOURCE = {
  stateDir: {
    key: 'state-dir',
    flag: '--state-dir',
    type: text,
    fallback: '',
    help: 'directory of keyring.json, or the file itself',
  } satisfies Setting<string>,
} as const;

/** @throws MsgError MSG_INVALID_ARGUMENT when no source is given. */
export function keyringSource(sources: SettingSources): string {
  const stateDir = settle(KEYRING_SOURCE.stateDir, sources);
  if (stateDir !== '') return stateDir;
  throw new MsgError('MSG_INVALID_ARGUMENT', 'a keyring source is missing: --state-dir');
}
