import { defaultFlag, type Setting, switchFlag, text } from '@msg/command-line';
import { MsgError } from '@msg/core';
import { localCommand, printResult } from './command.ts';

function storeSetting(which: 'from' | 'to', help: string): Setting<string> {
  return { key: which, flag: `--${which}`, type: text, fallback: '', help };
}

const SETTINGS = {
  from: storeSetting('from', 'address of the shared store whose keyring is copied'),
  to: storeSetting('to', 'address of the shared store that gets it'),
  fromPrefix: defaultFlag('--from-key-prefix', 'text', 'msg', 'begin of the keys in the first store'),
  toPrefix: defaultFlag('--to-key-prefix', 'text', 'msg', 'begin of the keys in the second store'),
  prune: switchFlag('--prune', 'end keys that only the second store has, as after a retirement in the first'),
  force: switchFlag(
    '--force',
    'take the secret of the first store where a key has another one in the second',
  ),
} as const;

/** `keys sync`: one ring for several regions, each with a shared store of its own. */
export const syncKeys = localCommand({
  name: 'keys sync',
  summary: 'copy the keyring of one shared store to another, for several regions',
  detail:
    'The key that signs in the first store signs in the second from then on, and tokens of either region verify in ' +
    'both. Keys that only the second store has go on verifying, unless --prune ends them. The nodes there learn of it ' +
    'at once. Works without a server; run it again after every rotation, or on a timer: without a difference nothing ' +
    'is written.',
  settings: SETTINGS,
  examples: [
    { line: 'keys sync --from redis.eu:6379 --to redis.us:6379', help: 'after a promotion' },
    { line: 'keys sync --from redis.eu:6379 --to redis.us:6379 --prune', help: 'after a retirement' },
  ],
  async run({ settings: { from, fromPrefix, to, toPrefix, prune, force }, io }) {
    if (from === '' || to === '') throw new MsgError('MSG_INVALID_ARGUMENT', '--from and --to are required');
    const { syncKeyring } = await import('../auth/keys/transfer.ts');
    const report = await syncKeyring(
      { redis: { address: from, keyPrefix: fromPrefix } },
      { redis: { address: to, keyPrefix: toPrefix } },
      { prune, force },
    );
    printResult(io, { kind: 'msg.keys.synced', payload: report });
  },
});
